#include "warpledger/profile/file/kept_texts.h"

#include "warpledger/ncu/rep_file.h"

namespace warpledger::profile {

KernelTexts kept_texts(const Source& source) {
  KernelTexts texts;
  if (!ncu::is_rep_file(source.text())) return texts;
  const Result<ncu::RepFile> file = ncu::read_rep_file(source.name(), source.text());
  if (!file) return texts;
  std::map<uint64_t, std::shared_ptr<const std::string>> modules;  // by their references
  for (const ncu::RepCode& code : file->codes)
    if (!code.ptx.empty()) modules[code.reference] = std::make_shared<const std::string>(code.ptx);
  for (const ncu::RepResult& result : file->results) {
    const auto found = modules.find(result.code);
    if (found != modules.end()) texts[result.mangled].push_back(found->second);
  }
  return texts;
}

}  // namespace warpledger::profile
