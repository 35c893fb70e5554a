#include "warpledger/exec/machine/external.h"

#include <fmt/core.h>

#include "warpledger/exec/decode/device_print.h"
#include "warpledger/exec/machine/memory.h"

namespace warpledger::exec::machine {
namespace {

constexpr uint8_t kFirstArgument = 4, kReturnAddress = 20;

Operand pair_at(uint8_t index) { return {.kind = OperandKind::kRegister, .index = index}; }

/// The 64-bit argument that begins at register R4 + 2 `index`.
uint64_t argument(Lane& lane, uint8_t index) {
  return lane.pair(pair_at(static_cast<uint8_t>(kFirstArgument + 2 * index)));
}

ByteReader reader_of(Lane& lane) {
  return [&lane](uint64_t address, uint64_t bytes) -> const std::byte* {
    return generic_bytes(lane, address, bytes);
  };
}

void print(Lane& lane) {
  const ByteReader read = reader_of(lane);
  const std::string format = text_at(argument(lane, 0), read);
  lane.context().output += exec::print(format, argument(lane, 1), read);
  lane.set(pair_at(kFirstArgument), static_cast<uint32_t>(format.size()));
}

void fail_assertion(Lane& lane) {
  const ByteReader read = reader_of(lane);
  lane.context().stop(
      fmt::format("assertion '{}' failed at {}:{}", text_at(argument(lane, 0), read),
                  text_at(argument(lane, 1), read), static_cast<uint32_t>(argument(lane, 2))),
      "device-assert");
}

void allocate(Lane& lane) {
  const auto address = lane.context().memory.allocate(argument(lane, 0), "device malloc");
  lane.set_pair(pair_at(kFirstArgument), address ? *address : 0);
}

void release(Lane& lane) {
  const uint64_t address = argument(lane, 0);
  if (address == 0) return;
  if (const Status done = lane.context().memory.free(address); !done)
    lane.context().stop(done.error().message, "bad-free");
}

struct External {
  std::string_view name;
  void (*call)(Lane&);
};
constexpr External kExternals[] = {
    {"vprintf", print}, {"__assertfail", fail_assertion}, {"malloc", allocate}, {"free", release}};

}  // namespace

bool call_external(Context& context, std::string_view name, Lanes lanes) {
  for (const External& external : kExternals) {
    if (external.name != name) continue;
    for_each_lane(lanes, [&](int number) {
      Lane lane(context, number);
      external.call(lane);
      context.warp->next[static_cast<size_t>(number)] = lane.pair(pair_at(kReturnAddress));
    });
    return true;
  }
  return false;
}

}  // namespace warpledger::exec::machine
