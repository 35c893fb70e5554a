#include "warpledger/exec/machine/kept_listings.h"

#include <algorithm>

#include "warpledger/base/hash.h"
#include "warpledger/toolchain/nvdisasm.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec::machine {

Result<std::shared_ptr<const Functions>> KeptListings::list(const std::string& cubin) {
  const std::string name = sha256(cubin);
  if (auto known = find(name)) return known;
  WL_TRY(const std::string nvdisasm, toolchain::find_tool("nvdisasm"));
  WL_TRY(const std::string text,
         toolchain::run_nvdisasm(nvdisasm, cubin, toolchain::ListingForm::kText));
  WL_TRY(Functions functions, sass::read_listing(text));
  return keep(name, std::move(functions));
}

std::shared_ptr<const Functions> KeptListings::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(name);
  if (found == kept_.end()) return nullptr;
  found->second.last_use = ++uses_;
  return found->second.functions;
}

std::shared_ptr<const Functions> KeptListings::keep(const std::string& name, Functions functions) {
  size_t instructions = 0;
  for (const sass::Function& function : functions) instructions += function.instructions.size();
  const std::lock_guard lock(mutex_);
  const auto [entry, fresh] = kept_.try_emplace(name);
  entry->second.last_use = ++uses_;
  if (!fresh) return entry->second.functions;
  auto made = std::make_shared<const Functions>(std::move(functions));
  entry->second.functions = made;
  entry->second.instructions = instructions;
  instructions_ += instructions;
  while (instructions_ > most_ && kept_.size() > 1) forget_oldest();
  return made;
}

void KeptListings::forget_oldest() {
  const auto oldest = std::min_element(
      kept_.begin(), kept_.end(),
      [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; });
  instructions_ -= oldest->second.instructions;
  kept_.erase(oldest);
}

}  // namespace warpledger::exec::machine
