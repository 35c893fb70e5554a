#include "warpledger/exec/semantics/matrix_descriptor.h"

#include <fmt/core.h>

#include <cstring>

namespace warpledger::exec {
namespace {

constexpr uint32_t kChunk = 16;

/// Where chunk `c` of row (or k) `line` lies before the swizzle, from the start address on.
uint32_t offset_of(const SharedOperand& operand, uint32_t line, uint32_t c) {
  const SharedDescriptor& d = operand.descriptor;
  const bool none = d.mode == SharedMode::kNone;
  const auto width = static_cast<uint32_t>(facts_of(d.mode).row_bytes);
  if (!operand.mn_major) {
    const uint32_t along = c * (none ? d.leading_offset : kChunk);
    return line % 8 * (none ? kChunk : width) + line / 8 * d.stride_offset + along;
  }
  if (none) return c * d.stride_offset + line % 8 * kChunk + line / 8 * d.leading_offset;
  const uint32_t group = d.mode == SharedMode::k128Atom32 ? 4 : 8;
  const uint32_t across = width / kChunk;
  return c % across * kChunk + c / across * d.leading_offset + line % group * width +
         line / group * d.stride_offset;
}

}  // namespace

std::vector<uint32_t> SharedOperand::chunks() const {
  const Swizzle swizzle = facts_of(descriptor.mode).swizzle;
  const uint32_t shift = static_cast<uint32_t>(descriptor.base_offset) << 7;
  const uint32_t lines = mn_major ? k : rows, along = chunks_along();
  std::vector<uint32_t> offsets;
  offsets.reserve(size_t{lines} * along);
  for (uint32_t line = 0; line < lines; ++line) {
    for (uint32_t c = 0; c < along; ++c) {
      const uint32_t at = descriptor.start + offset_of(*this, line, c);
      offsets.push_back(static_cast<uint32_t>(swizzle(at - shift)) + shift);
    }
  }
  return offsets;
}

std::vector<uint32_t> SharedOperand::in_order(std::span<const uint32_t> chunks,
                                              uint32_t first) const {
  const uint32_t along = chunks_along(), lines = mn_major ? k : rows;
  const uint32_t first_line = mn_major ? 0 : first;
  std::vector<uint32_t> ordered;
  for (uint32_t c = mn_major ? first / static_cast<uint32_t>(per_chunk) : 0; c < along; ++c)
    for (uint32_t line = first_line; line < lines; ++line)
      ordered.push_back(chunks[line * along + c]);
  return ordered;
}

std::vector<uint32_t> SharedOperand::read(std::span<const std::byte> shared,
                                          std::span<const uint32_t> chunks) const {
  std::vector<uint32_t> elements(size_t{rows} * k);
  const uint32_t lines = mn_major ? k : rows, length = mn_major ? rows : k;
  const uint32_t along = chunks_along();
  const uint64_t mask = (uint64_t{1} << element_bits) - 1;
  for (uint32_t line = 0; line < lines; ++line) {
    for (uint32_t at = 0; at < length; ++at) {
      const auto per = static_cast<uint32_t>(per_chunk);
      const std::byte* chunk = shared.data() + chunks[line * along + at / per];
      const uint32_t bit = at % per * static_cast<uint32_t>(element_bits);
      uint64_t word = 0;
      std::memcpy(&word, chunk + bit / 8, std::min<size_t>(sizeof word, kChunk - bit / 8));
      const auto value = static_cast<uint32_t>(word >> bit % 8 & mask);
      elements[mn_major ? at * k + line : line * k + at] = value;
    }
  }
  return elements;
}

std::string find_fault(const SharedOperand& operand, std::span<const uint32_t> chunks,
                       size_t shared_bytes, std::span<const uint8_t> modes) {
  const auto wanted = static_cast<uint8_t>(1 + static_cast<int>(operand.descriptor.mode));
  for (const uint32_t chunk : chunks) {
    if (size_t{chunk} + kChunk > shared_bytes) {
      return fmt::format(
          "the matrix descriptor reaches shared {:#x}; the block's shared memory "
          "has {} bytes",
          chunk, shared_bytes);
    }
    const uint8_t mode = modes.empty() ? uint8_t{0} : modes[chunk / kChunk];
    if (mode == 0 || mode == wanted) continue;
    return fmt::format(
        "the matrix descriptor says swizzle '{}', but a tensor copy wrote shared "
        "{:#x} with swizzle '{}'",
        facts_of(operand.descriptor.mode).name, chunk,
        facts_of(static_cast<SharedMode>(mode - 1)).name);
  }
  return {};
}

}  // namespace warpledger::exec
