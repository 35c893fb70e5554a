// A .plan text never crashes the reader; what it accepts, if small, is placed soundly and printed.
#include <cstddef>
#include <cstdint>
#include <string>

#include "warpledger/base/check.h"
#include "warpledger/plan/emit.h"
#include "warpledger/plan/parse.h"
#include "warpledger/plan/report.h"

namespace {

constexpr size_t kSmall = 10;  // slots; more may take seconds

void use(const warpledger::plan::Plan& plan) {
  using namespace warpledger::plan;
  const Placement placement = place(plan);
  WL_CHECK(placement.shared.packing.total <= placement.shared.first_fit);
  (void)emit_cuda(plan, placement);
  (void)shared_table(plan, placement);
  (void)tensor_table(plan, placement);
  (void)map_table(plan, placement, Space::kShared);
  (void)draw(plan, placement);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const warpledger::Source source("fuzz.plan",
                                  std::string(reinterpret_cast<const char*>(data), size));
  const auto plan = warpledger::plan::parse(source);
  if (!plan) {
    (void)warpledger::to_text(plan.error());
    return 0;
  }
  size_t slots = 0;
  for (const auto& buffer : plan->buffers) slots += buffer.slots.size();
  if (slots <= kSmall) use(*plan);
  return 0;
}
