// Routes that keep every element in its lane: renaming, and PRMT where halves or bytes of different
// registers meet; and movmatrix, which transposes 8 x 8 halves.
#include <fmt/core.h>

#include <array>

#include "warpledger/layout/convert/routes.h"

namespace warpledger::convert {
namespace {

/// Register bits stay in registers and lane bits in their lane.
bool keeps_lanes(const LinearMap& gather) {
  const int registers_out = gather.from().bits_of(0), registers_in = gather.to().bits_of(0);
  for (int b = 0; b < gather.from().bits(); ++b) {
    const uint64_t base = gather.bases()[static_cast<size_t>(b)];
    const uint64_t wanted = b < registers_out ? 0 : uint64_t{1} << (b - registers_out);
    if (base >> registers_in != wanted) return false;
    if (b >= registers_out && base != wanted << registers_in) return false;
  }
  return true;
}

/// Which bytes make output register `r`: (input register, byte) for each of its four bytes.
std::array<std::pair<int, int>, 4> bytes_of(const LinearMap& gather, int element_bits, int r) {
  std::array<std::pair<int, int>, 4> bytes;
  const int element_bytes = element_bits / 8;
  for (int b = 0; b < 4; ++b) {
    const int element = (r * 4 + b) / element_bytes;
    const int source = static_cast<int>(gather(static_cast<uint64_t>(element)));
    const int byte = source * element_bytes + b % element_bytes;
    bytes[static_cast<size_t>(b)] = {byte / 4, byte % 4};
  }
  return bytes;
}

/// Makes one register from at most two others; false when more would be needed.
bool pick(Program& program, const std::array<std::pair<int, int>, 4>& bytes) {
  const int low = bytes[0].first;
  int high = low, selector = 0;
  for (size_t b = 0; b < 4; ++b) {
    if (bytes[b].first != low) high = bytes[b].first;
  }
  for (size_t b = 0; b < 4; ++b) {
    if (bytes[b].first != low && bytes[b].first != high) return false;
    selector |= (bytes[b].second + (bytes[b].first == low ? 0 : 4)) << 4 * b;
  }
  if (selector == 0x3210) {
    program.outputs.push_back(low);
    return true;
  }
  const Variable to = program.fresh();
  program.operations.emplace_back(PickBytes{to, low, high, selector});
  program.outputs.push_back(to);
  return true;
}

int words(int64_t elements, int element_bits) {
  return static_cast<int>(std::max<int64_t>(1, elements * element_bits / 32));
}

}  // namespace

std::optional<Route> renaming_route(const LinearMap& gather, int element_bits) {
  if (!keeps_lanes(gather) || element_bits < 8 || element_bits > 32) return std::nullopt;
  Program program;
  program.inputs = program.variables = words(gather.to().size_of("register"), element_bits);
  const int outputs = words(gather.from().size_of("register"), element_bits);
  for (int r = 0; r < outputs; ++r) {
    if (!pick(program, bytes_of(gather, element_bits, r))) return std::nullopt;
  }
  bool same = outputs == program.inputs;
  for (int r = 0; r < outputs; ++r) same = same && program.outputs[static_cast<size_t>(r)] == r;
  if (same) return Route{"nothing", "the two layouts are the same", program, price_of(program), 70};
  const bool free = program.operations.empty();
  return Route{free ? "renaming" : "byte permutes",
               free ? "every element is in its lane already: only the registers' names change"
                    : "every element is in its lane already, in another part of a register",
               program, price_of(program), 70};
}

std::optional<Route> movmatrix_route(const LinearMap& gather, int element_bits) {
  if (element_bits != 16 || gather.from().size_of("register") < 2 ||
      gather.to().size_of("register") < 2)
    return std::nullopt;
  const int in = gather.to().bits_of(0), out = gather.from().bits_of(0);
  const auto lane = [&](int b) { return uint64_t{1} << (in + b); };
  const auto base = [&](int b) { return gather.bases()[static_cast<size_t>(b)]; };
  // (h, l0, l1 | l2, l3, l4) exchange places; further register bits are renamed.
  const bool turns = base(0) == lane(2) && base(out) == lane(3) && base(out + 1) == lane(4) &&
                     base(out + 2) == 1 && base(out + 3) == lane(0) && base(out + 4) == lane(1);
  if (!turns) return std::nullopt;
  Program program;
  program.inputs = program.variables = 1 << (in - 1);
  for (int r = 0; r < 1 << (out - 1); ++r) {
    const uint64_t source = gather(static_cast<uint64_t>(2 * r));
    if (source % 2 != 0 || source >> in != 0) return std::nullopt;
    const Variable to = program.fresh();
    program.operations.emplace_back(Transpose{to, static_cast<Variable>(source / 2)});
    program.outputs.push_back(to);
  }
  return Route{"movmatrix", "each register is an 8 x 8 matrix of halves to be transposed", program,
               price_of(program), 75};
}

}  // namespace warpledger::convert
