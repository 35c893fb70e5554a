#include "warpledger/exec/decode/device_print.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace warpledger::exec {
namespace {

constexpr size_t kLongestText = 4096;

class Arguments {
 public:
  Arguments(uint64_t address, const ByteReader& read) : at_(address), read_(read) {}
  [[nodiscard]] const ByteReader& reader() const { return read_; }
  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    if (const std::byte* bytes = read_(at_, sizeof(T))) std::memcpy(&value, bytes, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

 private:
  uint64_t at_;
  const ByteReader& read_;
};

template <class T>
std::string formatted(const std::string& specifier, T value) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, specifier.c_str(), value);
  return std::string(
      text, static_cast<size_t>(std::clamp<int>(length, 0, static_cast<int>(sizeof text) - 1)));
}

// One %..x with its argument. Stars take an int each; %n and wide characters print as they stand.
std::string print_one(std::string specifier, Arguments& arguments) {
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
      return formatted(flags + "s",
                       text_at(arguments.next<uint64_t>(), arguments.reader()).c_str());
    case 'p':
      return fmt::format("{:#x}", arguments.next<uint64_t>());
    default:
      return specifier;
  }
}

}  // namespace

std::string text_at(uint64_t address, const ByteReader& read) {
  std::string text;
  while (text.size() < kLongestText) {
    const std::byte* byte = read(address + text.size(), 1);
    if (byte == nullptr || *byte == std::byte{0}) break;
    text += static_cast<char>(*byte);
  }
  return text;
}

std::string print(const std::string& format, uint64_t at, const ByteReader& read) {
  Arguments arguments(at, read);
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    const size_t end = format.find_first_not_of("0123456789+-# .*lhzjt", i + 1);
    if (end == std::string::npos) return text + format.substr(i);
    text += format[end] == '%' ? "%" : print_one(format.substr(i, end - i + 1), arguments);
    i = end;
  }
  return text;
}

}  // namespace warpledger::exec
