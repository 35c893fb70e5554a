#include "warpledger/exec/machine/bank_layout.h"

#include <iterator>

namespace warpledger::exec::machine {
namespace {

constexpr uint32_t kSystemShared = 0x400;

constexpr BankLayout before_blackwell(int architecture, uint32_t parameters, uint32_t shared) {
  return {.architecture = architecture,
          .block = 0x0,
          .grid = 0xc,
          .shared_window = 0x18,
          .local_window = 0x20,
          .stack = 0x28,
          .parameters = parameters,
          .shared_begin = shared};
}

constexpr BankLayout hopper() {
  BankLayout layout = before_blackwell(90, 0x210, kSystemShared);
  layout.parameter_window = 0x198;
  layout.cluster = {
      .is_explicit = 0x140, .blocks = 0x144, .reciprocals = 0x150, .clusters = 0x15c, .all = 0x188};
  return layout;
}

constexpr BankLayout blackwell(int architecture) {
  return {.architecture = architecture,
          .block = 0x360,
          .grid = 0x370,
          .local_window = 0x2f8,
          .stack = 0x37c,
          .parameter_window = 0x348,
          .cluster = {.is_explicit = 0x36c,
                      .blocks = 0x2a0,
                      .reciprocals = 0x2b0,
                      .clusters = 0x2c0,
                      .all = 0x2cc},
          .parameters = 0x380,
          .shared_begin = kSystemShared};
}

constexpr BankLayout kLayouts[] = {
    before_blackwell(75, 0x160, 0),
    before_blackwell(80, 0x160, 0),
    before_blackwell(86, 0x160, 0),
    before_blackwell(89, 0x160, 0),
    hopper(),
    blackwell(100),
    blackwell(120),
};

}  // namespace

const BankLayout* find_bank_layout(int architecture) {
  for (const BankLayout& layout : kLayouts) {
    if (layout.architecture == architecture) return &layout;
  }
  return nullptr;
}

std::string known_architectures() {
  std::string all;
  for (const BankLayout& layout : kLayouts) {
    if (!all.empty()) all += &layout + 1 == std::end(kLayouts) ? " and " : ", ";
    all += "sm_" + std::to_string(layout.architecture);
  }
  return all;
}

}  // namespace warpledger::exec::machine
