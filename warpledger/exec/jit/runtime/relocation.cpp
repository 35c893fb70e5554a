#include "warpledger/exec/jit/runtime/relocation.h"

#include <elf.h>

#include <cstring>

namespace warpledger::exec::jit {
namespace {

// Sums wrap: an addend may be anything, and what wraps does not fit.
uint64_t sum_of(const Relocation& relocation, size_t into_target = 0) {
  return reinterpret_cast<uint64_t>(relocation.target) + into_target +
         static_cast<uint64_t>(relocation.addend);
}

int64_t distance(const Relocation& relocation, size_t into_target = 0) {
  return static_cast<int64_t>(sum_of(relocation, into_target) -
                              reinterpret_cast<uint64_t>(relocation.place));
}

bool fits(int64_t value, int bits) {
  const int64_t limit = int64_t{1} << (bits - 1);
  return value >= -limit && value < limit;
}

template <class T>
bool put(const Relocation& relocation, T value) {
  if (relocation.room < sizeof value) return false;
  std::memcpy(relocation.place, &value, sizeof value);
  return true;
}

bool put_32(const Relocation& relocation, int64_t value) {
  return fits(value, 32) && put(relocation, static_cast<int32_t>(value));
}

// `value`'s low `bits` at bit `at` of an instruction.
bool put_field(const Relocation& relocation, uint64_t value, int at, int bits) {
  uint32_t word = 0;
  if (relocation.room < sizeof word) return false;
  std::memcpy(&word, relocation.place, sizeof word);
  const uint32_t mask = (1u << bits) - 1;
  word = (word & ~(mask << at)) | ((static_cast<uint32_t>(value) & mask) << at);
  return put(relocation, word);
}

// B and BL: 26 bits of words.
bool put_branch(const Relocation& relocation) {
  const int64_t value = distance(relocation);
  return value % 4 == 0 && fits(value, 28) &&
         put_field(relocation, static_cast<uint64_t>(value) >> 2, 0, 26);
}

// ADRP: pages from this one's to the target's, the low two bits apart.
bool put_page(const Relocation& relocation, size_t into_target) {
  constexpr uint64_t kPage = 4096;  // the instruction's, whatever the system's
  const auto place = reinterpret_cast<uint64_t>(relocation.place);
  const auto value =
      static_cast<int64_t>(sum_of(relocation, into_target) / kPage * kPage - place / kPage * kPage);
  const uint64_t pages = static_cast<uint64_t>(value) >> 12;
  return fits(value, 33) && put_field(relocation, pages, 29, 2) &&
         put_field(relocation, pages >> 2, 5, 19);
}

// The place in the page, as ADD takes it or as a load or store of 1 << shift bytes does.
bool put_low_12(const Relocation& relocation, int shift, size_t into_target = 0) {
  const uint64_t value = sum_of(relocation, into_target) & 0xfff;
  return value % (uint64_t{1} << shift) == 0 && put_field(relocation, value >> shift, 10, 12);
}

}  // namespace

bool relocate_x86_64(const Relocation& relocation) {
  switch (relocation.type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return put_32(relocation, distance(relocation));
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return relocation.is_outside && put_32(relocation, distance(relocation, kAddressInStub));
    default:
      return false;
  }
}

bool relocate_arm64(const Relocation& relocation) {
  switch (relocation.type) {
    case R_AARCH64_PREL32:
      return put_32(relocation, distance(relocation));
    case R_AARCH64_PREL64:
      return put(relocation, distance(relocation));
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return put_branch(relocation);
    case R_AARCH64_ADR_PREL_PG_HI21:
      return put_page(relocation, 0);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return put_low_12(relocation, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return put_low_12(relocation, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return put_low_12(relocation, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return put_low_12(relocation, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return put_low_12(relocation, 4);
    case R_AARCH64_ADR_GOT_PAGE:
      return relocation.is_outside && put_page(relocation, kAddressInStub);
    case R_AARCH64_LD64_GOT_LO12_NC:
      return relocation.is_outside && put_low_12(relocation, 3, kAddressInStub);
    default:
      return false;
  }
}

}  // namespace warpledger::exec::jit
