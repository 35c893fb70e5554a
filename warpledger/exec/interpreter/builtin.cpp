// Functions that the machine provides to device code: printf, assertions, the device's heap.
#include <fmt/core.h>

#include <cstring>

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

constexpr size_t kLongestText = 4096;

std::string text_at(const Context& context, uint64_t address, int lane) {
  std::string text;
  while (text.size() < kLongestText) {
    const std::byte* byte =
        context.bytes(from_generic(address + text.size()), 1, lane, Access::kRead);
    if (byte == nullptr || *byte == std::byte{0}) break;
    text += static_cast<char>(*byte);
  }
  return text;
}

/// The arguments of vprintf, one after another, each at its natural alignment.
class PrintArguments {
 public:
  PrintArguments(const Context& context, uint64_t address, int lane)
      : context_(context), at_(address), lane_(lane) {}
  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    if (const std::byte* bytes = context_.bytes(from_generic(at_), sizeof(T), lane_, Access::kRead))
      std::memcpy(&value, bytes, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

 private:
  const Context& context_;
  uint64_t at_;
  int lane_;
};

template <class T>
std::string formatted(const std::string& specifier, T value) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, specifier.c_str(), value);
  return std::string(
      text, static_cast<size_t>(std::clamp<int>(length, 0, static_cast<int>(sizeof text) - 1)));
}

// One %..x with its argument. Stars take an int each; %n and wide characters print as they stand.
std::string print_one(const Context& context, std::string specifier, PrintArguments& arguments,
                      int lane) {
  for (size_t star = specifier.find('*'); star != std::string::npos; star = specifier.find('*')) {
    specifier.replace(star, 1, std::to_string(std::clamp(arguments.next<int32_t>(), -500, 500)));
  }
  const char kind = specifier.back();
  const bool wide =
      specifier.find("ll") != std::string::npos || specifier.find('l') != std::string::npos ||
      specifier.find('z') != std::string::npos || specifier.find('j') != std::string::npos;
  std::string flags = specifier.substr(0, specifier.size() - 1);
  std::erase_if(flags,
                [](char c) { return c == 'l' || c == 'h' || c == 'z' || c == 'j' || c == 't'; });
  if (flags.size() > 20) return specifier;
  switch (kind) {
    case 'd':
    case 'i':
      return wide ? formatted(flags + "lld", static_cast<long long>(arguments.next<int64_t>()))
                  : formatted(flags + "d", arguments.next<int32_t>());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return wide ? formatted(flags + "ll" + kind,
                              static_cast<unsigned long long>(arguments.next<uint64_t>()))
                  : formatted(flags + kind, arguments.next<uint32_t>());
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return formatted(flags + kind, arguments.next<double>());
    case 'c':
      return formatted(flags + "c", arguments.next<int32_t>());
    case 's':
      return formatted(flags + "s", text_at(context, arguments.next<uint64_t>(), lane).c_str());
    case 'p':
      return fmt::format("{:#x}", arguments.next<uint64_t>());
    default:
      return specifier;
  }
}

std::string print_all(const Context& context, const std::string& format, PrintArguments arguments,
                      int lane) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    const size_t end = format.find_first_not_of("0123456789+-# .*lhzjt", i + 1);
    if (end == std::string::npos) return text + format.substr(i);
    text += format[end] == '%' ? "%"
                               : print_one(context, format.substr(i, end - i + 1), arguments, lane);
    i = end;
  }
  return text;
}

void run_vprintf(Context& context, const Step& step, int lane) {
  const std::string format = text_at(context, argument<uint64_t>(context, step, 0, lane), lane);
  const PrintArguments arguments(context, argument<uint64_t>(context, step, 1, lane), lane);
  context.engine.print(print_all(context, format, arguments, lane));
  answer<int32_t>(context, step, lane, static_cast<int32_t>(format.size()));
}

void run_assertfail(Context& context, const Step& step, int lane) {
  const auto text = [&](size_t i) {
    return text_at(context, argument<uint64_t>(context, step, i, lane), lane);
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
