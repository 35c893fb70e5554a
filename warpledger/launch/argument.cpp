#include "warpledger/launch/argument.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "warpledger/base/file.h"
#include "warpledger/exec/memory/device_memory.h"
#include "warpledger/exec/semantics/variant.h"
#include "warpledger/launch/tensor_argument.h"
#include "warpledger/launch/twister.h"

namespace warpledger::exec {
namespace {

const std::vector<ElementType>& element_types() {
  using ptx::Type;
  static const std::vector<ElementType> types = {
      {"f16", 2, true, true, Type::kF16},   {"bf16", 2, true, true, Type::kBf16},
      {"f32", 4, true, true, Type::kF32},   {"f64", 8, true, true, Type::kF64},
      {"i8", 1, false, true, Type::kS8},    {"i16", 2, false, true, Type::kS16},
      {"i32", 4, false, true, Type::kS32},  {"i64", 8, false, true, Type::kS64},
      {"u8", 1, false, false, Type::kU8},   {"u16", 2, false, false, Type::kU16},
      {"u32", 4, false, false, Type::kU32}, {"u64", 8, false, false, Type::kU64},
      {"e4m3", 1, true, true, Type::kE4m3}, {"e5m2", 1, true, true, Type::kE5m2},
  };
  return types;
}

Diagnostic bad_argument(const std::string& text, const std::string& why) {
  return {.message = fmt::format("argument '{}': {}", text, why),
          .hint = "write TYPE:VALUE or TYPE[COUNT]:FILL, e.g. i32:4096 or f32[1024]:random",
          .code = "bad-argument"};
}

Result<ElementType> find_type(const std::string& text, const std::string& word) {
  std::vector<std::string> names;
  for (const ElementType& type : element_types()) {
    if (type.name == word) return type;
    names.push_back(type.name);
  }
  return bad_argument(text,
                      fmt::format("'{}' is not an element type ({})", word, fmt::join(names, " ")));
}

/// To nearest even, of a number: numeric::convert() takes a hundred nanoseconds, and inputs have
/// millions of elements.
uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  uint32_t half = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // Below 2^-14 the sum with 0.5 rounds where a subnormal half does.
  if (magnitude < 0x38800000)
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  if (magnitude >= 0x477ff000) half = 0x7c00;
  return static_cast<uint16_t>(sign | half);
}

/// The same for bfloat16, the upper half of a float.
uint16_t brain_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint64_t float_bits(const numeric::Format& format, double value) {
  const auto single = static_cast<float>(value);
  const bool exact = static_cast<double>(single) == value;  // and no NaN
  if (exact && format == numeric::kF32) return std::bit_cast<uint32_t>(single);
  if (exact && format == numeric::kF16) return half_bits(single);
  return numeric::convert(format, numeric::kF64, std::bit_cast<uint64_t>(value));
}

/// `format`: of `type`, when it is a float.
void put_value(const ElementType& type, const numeric::Format& format, double value,
               std::byte* to) {
  uint64_t bits = 0;
  if (type.is_float) {
    bits = float_bits(format, value);
  } else {
    bits = type.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value))
                          : static_cast<uint64_t>(value);
  }
  std::memcpy(to, &bits, static_cast<size_t>(type.bytes));
}

std::optional<double> parse_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return {};
  return value;
}

Status fill_from_file(Argument& argument, const std::string& path) {
  WL_TRY(std::string bytes, read_file(path));
  bytes = without_npy_header(std::move(bytes));
  if (bytes.size() != argument.bytes.size()) {
    return Diagnostic{.message = fmt::format("'{}' has {} bytes, argument '{}' has {}", path,
                                             bytes.size(), argument.name, argument.bytes.size()),
                      .code = "bad-argument"};
  }
  std::memcpy(argument.bytes.data(), bytes.data(), bytes.size());
  return {};
}

// One element, then what is there already, twice as much each time. Pre: the bytes are zero.
void fill_with(Argument& argument, double constant) {
  if (constant == 0 && !std::signbit(constant)) return;
  std::byte* bytes = argument.bytes.data();
  put_value(argument.type, type_info(argument.type.type).format, constant, bytes);
  const size_t total = argument.bytes.size();
  for (size_t done = static_cast<size_t>(argument.type.bytes); done < total; done *= 2) {
    std::memcpy(bytes + done, bytes, std::min(done, total - done));
  }
}

/// Each element is the Word that bits() returns next.
template <class Word, class Bits>
void write_words(Argument& argument, Bits bits) {
  std::byte* to = argument.bytes.data();
  for (uint64_t left = argument.elements(); left > 0; --left, to += sizeof(Word)) {
    const Word word = bits();
    std::memcpy(to, &word, sizeof word);
  }
}

/// The type is looked at once, and not for each of what may be a hundred million elements.
template <class Unit>
void fill_random_floats(Argument& argument, Unit unit) {
  using ptx::Type;
  switch (argument.type.type) {
    case Type::kF16:
      return write_words<uint16_t>(argument, [&] { return half_bits(unit()); });
    case Type::kBf16:
      return write_words<uint16_t>(argument, [&] { return brain_bits(unit()); });
    case Type::kF32:
      return write_words<uint32_t>(argument, [&] { return std::bit_cast<uint32_t>(unit()); });
    case Type::kF64:
      return write_words<uint64_t>(argument,
                                   [&] { return std::bit_cast<uint64_t>(double{unit()}); });
    default:  // of 8 bits
      return write_words<uint8_t>(argument, [&, format = type_info(argument.type.type).format] {
        return static_cast<uint8_t>(float_bits(format, double{unit()}));
      });
  }
}

void fill_random(Argument& argument, int number) {
  Twister random(static_cast<uint64_t>(number));
  if (argument.type.is_float)  // 24 bits: any float of [0, 1) with steps of 2^-24 is exact
    return fill_random_floats(argument,
                              [&] { return static_cast<float>(random() >> 40) * 0x1p-24f; });
  switch (argument.type.bytes) {
    case 1:
      return write_words<uint8_t>(argument, [&] { return static_cast<uint8_t>(random() % 100); });
    case 2:
      return write_words<uint16_t>(argument, [&] { return static_cast<uint16_t>(random() % 100); });
    case 4:
      return write_words<uint32_t>(argument, [&] { return static_cast<uint32_t>(random() % 100); });
    default:
      return write_words<uint64_t>(argument, [&] { return random() % 100; });
  }
}

void fill_index(Argument& argument) {
  const numeric::Format format = type_info(argument.type.type).format;
  std::byte* to = argument.bytes.data();
  for (uint64_t i = 0; i < argument.elements(); ++i, to += argument.type.bytes)
    put_value(argument.type, format, static_cast<double>(i), to);
}

Status fill(Argument& argument, const std::string& text, const std::string& how, int number) {
  if (how.starts_with('@')) return fill_from_file(argument, how.substr(1));
  const auto constant = parse_number(how == "one" ? "1" : how == "zero" || how.empty() ? "0" : how);
  if (constant) {
    fill_with(argument, *constant);
  } else if (how == "random") {
    fill_random(argument, number);
  } else if (how == "index") {
    fill_index(argument);
  } else {
    return bad_argument(text, fmt::format("unknown fill '{}'", how));
  }
  return {};
}

/// Held twice: as it was before the launch, and in device memory.
Status make_room(Argument& argument, const std::string& text) {
  const auto machine =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t most = machine / 2 / static_cast<uint64_t>(argument.type.bytes);
  if (argument.elements() > most) {
    return Diagnostic{.message = fmt::format("argument '{}' does not fit: this machine's memory "
                                             "holds {} elements of {} bytes",
                                             text, most, argument.type.bytes),
                      .code = "out-of-memory"};
  }
  argument.bytes.resize(argument.elements() * static_cast<uint64_t>(argument.type.bytes));
  return {};
}

/// `bytes`: the argument's.
Status pass(const std::vector<std::byte>& bytes, Argument& argument, DeviceMemory& memory,
            Arguments& packed) {
  if (!argument.count) return packed.add(bytes.data(), bytes.size());
  WL_TRY(argument.address, memory.allocate(bytes.size(), argument.name));
  std::memcpy(memory.find(argument.address, bytes.size()), bytes.data(), bytes.size());
  if (!argument.map) return packed.add(&argument.address, sizeof argument.address);
  argument.map->address = argument.address;
  WL_TRY(const TensorMapBytes map, encode(*argument.map));
  return packed.add(map.data(), map.size());
}

}  // namespace

Result<Argument> parse_argument(const std::string& text, int number) {
  Argument argument{.name = fmt::format("arg{}", number)};
  std::string rest = text;
  const size_t colon = text.find_first_of(":(");
  if (const size_t equals = text.find('='); equals != std::string::npos && equals < colon) {
    argument.name = text.substr(0, equals);
    rest = text.substr(equals + 1);
  }
  if (rest.starts_with("tensormap(")) {
    const size_t close = rest.find("):");
    if (close == std::string::npos) return bad_argument(text, "'):' and the buffer are missing");
    const std::string options = rest.substr(10, close - 10);
    rest = rest.substr(close + 2);
    argument.map.emplace();
    const Status parsed = parse_tensor_map(options, *argument.map);
    if (!parsed) return bad_argument(text, parsed.error().message);
  }
  std::vector<uint64_t> shape;
  const size_t split = rest.find(':');
  std::string word = rest.substr(0, split);
  const std::string value = split == std::string::npos ? "" : rest.substr(split + 1);
  if (const size_t open = word.find('['); open != std::string::npos) {
    if (!word.ends_with(']')) return bad_argument(text, "']' is missing");
    shape = parse_shape(word.substr(open + 1, word.size() - open - 2));
    if (shape.empty()) return bad_argument(text, "its count is not a number");
    argument.count = 1;
    for (const uint64_t extent : shape) *argument.count *= extent;
    word = word.substr(0, open);
  } else if (value.empty()) {
    return bad_argument(text, "a scalar needs a value");
  }
  WL_TRY(argument.type, find_type(text, word));
  if (argument.map) {
    const Status described = describe_buffer(argument.type.name, shape, *argument.map);
    if (!described) return bad_argument(text, described.error().message);
  }
  WL_TRY_STATUS(make_room(argument, text));
  WL_TRY_STATUS(fill(argument, text, value, number));
  return argument;
}

Result<std::vector<std::byte>> pass_arguments(const ptx::Module& module,
                                              const ptx::Function& kernel,
                                              std::vector<Argument>& arguments,
                                              DeviceMemory& memory) {
  Arguments packed(module, kernel);
  for (Argument& argument : arguments)
    WL_TRY_STATUS(pass(argument.bytes, argument, memory, packed));
  return packed.finish();
}

Result<std::vector<std::byte>> pass_arguments(const ptx::Module& module,
                                              const ptx::Function& kernel,
                                              const std::vector<Argument>& arguments,
                                              DeviceMemory& memory, std::vector<Argument>& passed) {
  Arguments packed(module, kernel);
  for (const Argument& argument : arguments) {
    passed.push_back({.name = argument.name,
                      .type = argument.type,
                      .count = argument.count,
                      .address = argument.address,
                      .map = argument.map});
    WL_TRY_STATUS(pass(argument.bytes, passed.back(), memory, packed));
  }
  return packed.finish();
}

double element_value(const ElementType& type, const std::byte* bytes, uint64_t index) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes + index * static_cast<uint64_t>(type.bytes),
              static_cast<size_t>(type.bytes));
  if (!type.is_float) {
    const uint64_t wide = numeric::extend({type.bytes * 8, type.is_signed}, bits);
    return type.is_signed ? static_cast<double>(static_cast<int64_t>(wide))
                          : static_cast<double>(wide);
  }
  const uint64_t wide = numeric::convert(numeric::kF64, type_info(type.type).format, bits);
  double value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

std::string to_npy(const Argument& argument, const std::byte* bytes) {
  const char kind = argument.type.is_float && argument.type.name[0] == 'f' ? 'f'
                    : argument.type.is_signed && !argument.type.is_float   ? 'i'
                                                                           : 'u';
  const char* order = argument.type.bytes == 1 ? "|" : "<";
  std::string header =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({},), }}", order, kind,
                  argument.type.bytes, argument.elements());
  constexpr size_t kPrefix = 10, kBlock = 64;
  header.append(kBlock - (kPrefix + header.size() + 1) % kBlock, ' ');
  header += '\n';
  std::string npy("\x93NUMPY\x01\x00", 8);
  npy += static_cast<char>(header.size() & 0xff);
  npy += static_cast<char>(header.size() >> 8);
  return npy + header + std::string(reinterpret_cast<const char*>(bytes), argument.bytes.size());
}

std::string without_npy_header(std::string bytes) {
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 10) return bytes;
  const auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const size_t header = 10 + byte(8) + (byte(9) << 8);
  return header <= bytes.size() ? bytes.substr(header) : bytes;
}

}  // namespace warpledger::exec
