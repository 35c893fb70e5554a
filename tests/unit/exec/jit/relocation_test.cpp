// Relocated instructions lead where the symbol is, by what the processor's manual says of their
// fields.
#include "warpledger/exec/jit/runtime/relocation.h"

#include <elf.h>

#include <array>
#include <cstring>

#include "tests/support/law.h"

namespace warpledger::exec::jit {
namespace {

using Code = std::array<std::byte, 8>;

/// Bits [at, at + bits) of `word` with their sign.
int64_t field(uint32_t word, int at, int bits) {
  return static_cast<int64_t>(uint64_t{word} << (64 - at - bits)) >> (64 - bits);
}

uint32_t word_of(const Code& code) {
  uint32_t word = 0;
  std::memcpy(&word, code.data(), sizeof word);
  return word;
}

Code with_word(uint32_t word) {
  Code code = {};
  std::memcpy(code.data(), &word, sizeof word);
  return code;
}

uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

Relocation relocation_of(uint32_t type, Code& code, int64_t away, int64_t addend) {
  const uint64_t target = address(code.data()) + static_cast<uint64_t>(away);
  return {.type = type,
          .place = code.data(),
          .room = code.size(),
          .target = reinterpret_cast<const std::byte*>(target),
          .addend = addend};
}

constexpr uint32_t kBranch = 0x9400'0000, kPageOf = 0x9000'0005, kAdd = 0x9100'00a5,
                   kLoad = 0xf940'00a5;

LAW(RelocatedArm64, BranchesReachTheirTargetOrAreRefused) {
  alignas(8) Code code = with_word(kBranch);
  const int64_t away = rng.between(-(int64_t{1} << 28), int64_t{1} << 28),
                addend = rng.between(-64, 64);
  const bool done = relocate_arm64(relocation_of(R_AARCH64_CALL26, code, away, addend));
  const int64_t sum = away + addend;
  ASSERT_EQ(done, sum % 4 == 0 && sum >= -(1 << 27) && sum < (1 << 27));
  if (!done) return;
  EXPECT_EQ(field(word_of(code), 0, 26) * 4, sum);
  EXPECT_EQ(word_of(code) >> 26, kBranch >> 26);
}

LAW(RelocatedArm64, APageAndAPlaceInItAreTheAddress) {
  alignas(8) Code page = with_word(kPageOf), add = with_word(kAdd);
  const int64_t away = rng.between(-(int64_t{1} << 31), int64_t{1} << 31),
                addend = rng.between(-5000, 5000);
  const uint64_t target = address(page.data()) + static_cast<uint64_t>(away + addend);
  ASSERT_TRUE(relocate_arm64(relocation_of(R_AARCH64_ADR_PREL_PG_HI21, page, away, addend)));
  const int64_t from_here = address(add.data()) - address(page.data());
  ASSERT_TRUE(
      relocate_arm64(relocation_of(R_AARCH64_ADD_ABS_LO12_NC, add, away - from_here, addend)));
  const int64_t pages = field(word_of(page), 5, 19) * 4 + (word_of(page) >> 29 & 3);
  const uint64_t base =
      (address(page.data()) & ~uint64_t{0xfff}) + static_cast<uint64_t>(pages) * 4096;
  EXPECT_EQ(base + (word_of(add) >> 10 & 0xfff), target);
  EXPECT_EQ(word_of(page) & 0x9f00'001f, kPageOf);
  EXPECT_EQ(word_of(add) & 0xffc0'03ff, kAdd);
}

LAW(RelocatedArm64, LoadsCountInTheirOwnSize) {
  constexpr std::array kTypes = {R_AARCH64_LDST8_ABS_LO12_NC, R_AARCH64_LDST16_ABS_LO12_NC,
                                 R_AARCH64_LDST32_ABS_LO12_NC, R_AARCH64_LDST64_ABS_LO12_NC,
                                 R_AARCH64_LDST128_ABS_LO12_NC};
  const auto shift = static_cast<size_t>(rng.between(0, 4));
  alignas(8) Code code = with_word(kLoad);
  const int64_t away = rng.between(0, int64_t{1} << 20);
  const uint64_t low = (address(code.data()) + static_cast<uint64_t>(away)) & 0xfff;
  const bool done = relocate_arm64(relocation_of(kTypes[shift], code, away, 0));
  ASSERT_EQ(done, low % (uint64_t{1} << shift) == 0);
  if (done) {
    EXPECT_EQ((word_of(code) >> 10 & 0xfff) << shift, low);
  }
}

LAW(RelocatedX86, DistancesAreTakenOrRefused) {
  Code code = {};
  const int64_t away = rng.between(-(int64_t{1} << 33), int64_t{1} << 33),
                addend = rng.between(-64, 64);
  const bool done = relocate_x86_64(relocation_of(R_X86_64_PC32, code, away, addend));
  ASSERT_EQ(done, away + addend == static_cast<int32_t>(away + addend));
  if (done) {
    EXPECT_EQ(static_cast<int32_t>(word_of(code)), away + addend);
  }
}

TEST(Relocation, WritesNothingWhereThereIsNoRoom) {
  for (const auto& [relocate, type] : {std::pair{&relocate_x86_64, R_X86_64_PC32},
                                       {&relocate_arm64, R_AARCH64_CALL26},
                                       {&relocate_arm64, R_AARCH64_PREL64}}) {
    alignas(8) Code code = {};
    Relocation relocation = relocation_of(static_cast<uint32_t>(type), code, 64, 0);
    relocation.room = 3;
    EXPECT_FALSE(relocate(relocation));
    EXPECT_EQ(code, Code{});
  }
}

TEST(Relocation, OnlyAStubHasAnAddressToLoad) {
  for (const auto& [relocate, type] : {std::pair{&relocate_x86_64, R_X86_64_GOTPCRELX},
                                       {&relocate_arm64, R_AARCH64_ADR_GOT_PAGE}}) {
    alignas(8) Code code = {};
    Relocation relocation = relocation_of(static_cast<uint32_t>(type), code, 64, 0);
    EXPECT_FALSE(relocate(relocation));
    relocation.is_outside = true;
    EXPECT_TRUE(relocate(relocation));
  }
}

}  // namespace
}  // namespace warpledger::exec::jit
