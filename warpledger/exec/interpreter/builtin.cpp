// Built-in device functions: printf, assertions, the device's heap.
#include <fmt/core.h>

#include <cstring>

#include "warpledger/exec/decode/device_print.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

template <class T>
T argument(const Context& context, const Step& step, size_t index, int lane) {
  T value{};
  const auto arguments = context.children(step.operands[2]);
  if (index < arguments.size())
    read_argument(context, arguments[index], lane, &value, sizeof value);
  return value;
}

template <class T>
void answer(const Context& context, const Step& step, int lane, T value) {
  const auto results = context.children(step.operands[0]);
  if (!results.empty()) write_result(context, results[0], lane, &value, sizeof value);
}

ByteReader reader_of(const Context& context, int lane) {
  return [&context, lane](uint64_t address, uint64_t bytes) {
    return static_cast<const std::byte*>(
        context.bytes(from_generic(address), bytes, lane, Access::kRead));
  };
}

void run_vprintf(Context& context, const Step& step, int lane) {
  const ByteReader read = reader_of(context, lane);
  const std::string format = text_at(argument<uint64_t>(context, step, 0, lane), read);
  context.engine.print(print(format, argument<uint64_t>(context, step, 1, lane), read));
  answer<int32_t>(context, step, lane, static_cast<int32_t>(format.size()));
}

void run_assertfail(Context& context, const Step& step, int lane) {
  const auto text = [&](size_t i) {
    return text_at(argument<uint64_t>(context, step, i, lane), reader_of(context, lane));
  };
  context.fault(step, lane,
                fmt::format("assertion '{}' failed at {}:{}", text(0), text(1),
                            argument<uint32_t>(context, step, 2, lane)),
                "device-assert");
}

void run_malloc(Context& context, const Step& step, int lane) {
  const auto address = context.engine.image().memory().allocate(
      argument<uint64_t>(context, step, 0, lane), "device malloc");
  answer<uint64_t>(context, step, lane, address ? *address : 0);
}

void run_free(Context& context, const Step& step, int lane) {
  const auto address = argument<uint64_t>(context, step, 0, lane);
  if (address == 0) return;
  const Status status = context.engine.image().memory().free(address);
  if (!status) context.fault(step, lane, status.error().message, "bad-free");
}

struct Builtin {
  std::string_view name;
  void (*run)(Context&, const Step&, int);
};
constexpr Builtin kBuiltins[] = {{"vprintf", run_vprintf},
                                 {"__assertfail", run_assertfail},
                                 {"malloc", run_malloc},
                                 {"free", run_free}};

}  // namespace

bool run_builtin(Context& context, const Step& step, std::string_view name) {
  for (const Builtin& builtin : kBuiltins) {
    if (builtin.name != name) continue;
    for_each_lane(context.lanes, [&](int lane) {
      if (!context.failed()) builtin.run(context, step, lane);
    });
    return true;
  }
  return false;
}

}  // namespace warpledger::exec::reference
