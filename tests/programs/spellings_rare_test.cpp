// More kernels for the list of spellings (spellings_test.cpp): those that PyTorch's kernels have.
#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

constexpr int kN = 500;
constexpr const char* kFile = "spellings_rare.cu";

/// Of all sizes and both signs, with a zero and infinities.
template <class T>
Buffer<T> floats(Program& p, int seed) {
  std::vector<T> values(kN);
  for (int i = 0; i < kN; ++i) {
    const int k = i * seed % 97;
    values[static_cast<size_t>(i)] = static_cast<T>((k - 48) / 8.0 * std::pow(10.0, k % 7));
  }
  values[7] = 0;
  values[19] = std::numeric_limits<T>::infinity();
  return p.buffer(std::move(values));
}

/// Half-precision numbers that are not NaN.
Buffer<uint16_t> halves(Program& p, size_t n) { return p.random<uint16_t>(n, 0x7c00); }

TEST(RareSpellings, Halves) {
  Program given(kFile, "half_parameters");
  given.launch(2, 256, halves(given, kN), given.zeros<uint16_t>(3 * kN),
               std::array<uint16_t, 2>{half_bits(3), half_bits(-1.5)}, half_bits(0.5),
               uint16_t{0x3fc0}, kN);
  Program negated(kFile, "negated_halves");
  negated.launch(2, 256, floats<float>(negated, 5), negated.zeros<uint16_t>(kN),
                 negated.zeros<uint16_t>(kN), negated.zeros<uint16_t>(kN), kN);
  Program sets(kFile, "set_halves");
  sets.launch(2, 256, halves(sets, 2 * kN), halves(sets, 2 * kN), sets.zeros<uint32_t>(2 * kN), kN);
  Program products(kFile, "small_products");
  products.launch(1, 32, products.random<uint16_t>(128, 0x4100),
                  products.random<uint16_t>(128, 0x4100), products.random<float>(128),
                  products.zeros<float>(128));
}

TEST(RareSpellings, QuotientsAndSines) {
  Program longs(kFile, "divide_by_shared");
  for (const int64_t by : {int64_t{-7}, int64_t{1} << 40, int64_t{3}})
    longs.launch(2, 256, longs.random<int64_t>(kN, uint64_t{1} << 50), longs.zeros<int64_t>(2 * kN),
                 by, kN);
  Program shorts(kFile, "short_quotients");
  shorts.launch(2, 256, shorts.random<uint8_t>(kN, 256), shorts.random<uint16_t>(kN, 65536),
                shorts.zeros<uint8_t>(kN), shorts.zeros<uint16_t>(kN), kN);
  Program rest(kFile, "remainders");
  rest.launch(2, 256, floats<double>(rest, 5), floats<double>(rest, 7), rest.zeros<double>(kN), kN);
  Program sines(kFile, "sines");
  sines.launch(2, 256, floats<float>(sines, 5), sines.zeros<float>(2 * kN), kN);
}

TEST(RareSpellings, ConversionsAndComparisons) {
  Program floors(kFile, "floors");
  floors.launch(2, 256, floors.random<float>(kN), floors.random<double>(kN),
                floors.zeros<int64_t>(3 * kN), kN);
  Program digits(kFile, "digits");
  digits.launch(2, 256, digits.random<uint8_t>(kN, 256), digits.zeros<float>(kN), 5U, kN);
  Program sets(kFile, "set_floats");
  sets.launch(2, 256, floats<float>(sets, 5), floats<float>(sets, 7), sets.zeros<float>(7 * kN),
              kN);
}

TEST(RareSpellings, MemoryOfEverySpace) {
  Program reads(kFile, "read_only");
  reads.launch(2, 256, reads.random<int>(kN), reads.random<uint16_t>(kN, 65536),
               reads.random<int8_t>(kN, 256), reads.random<int16_t>(kN, 65536),
               reads.zeros<int>(kN), kN);
  Program generic(kFile, "generic_memory");
  for (const int which : {0, 1, 2})
    generic.launch(1, 64, generic.random<int>(kN, 1U << 30), generic.zeros<int>(128), which, kN);
  Program strong(kFile, "strong_memory");
  for (const int which : {0, 1})
    strong.launch(1, 64, strong.random<uint32_t>(512, 1U << 30), strong.zeros<uint32_t>(256), which,
                  kN);
  Program own(kFile, "own_memory");
  own.launch(2, 256, own.random<uint8_t>(kN, 256), own.random<int16_t>(kN, 65536),
             own.zeros<int>(kN), kN);
  Program crowded(kFile, "crowded");
  crowded.launch(1, 512, crowded.random<int>(kN), crowded.random<double>(kN),
                 crowded.random<int16_t>(kN), crowded.zeros<int>(kN), crowded.zeros<double>(kN),
                 kN);
}

TEST(RareSpellings, CopiesInPart) {
  Program p(kFile, "copy_in_part");
  const auto wide = p.random<uint8_t>(32 * 16, 256), narrow = p.random<uint8_t>(32 * 8, 256);
  const auto out = p.zeros<uint8_t>(64 * 16);
  p.launch(1, 32, wide, narrow, out, 3U);
  p.expect(out, [&](size_t i) {
    const size_t thread = i / 16 % 32, at = i % 16;
    if (i < 32 * 16) return at < (3 + thread) % 17 ? wide[i] : 0;
    return at < (3 + thread) % 9 ? narrow[thread * 8 + at] : 0;
  });
}

TEST(RareSpellings, ThreadsThatMeet) {
  Program updates(kFile, "update_anywhere");
  for (const int which : {0, 1})
    updates.launch(1, 64, updates.zeros<int>(64), updates.random<uint64_t>(128, 2),
                   updates.zeros<uint32_t>(72), updates.zeros<int>(64), which);
  Program meets(kFile, "meet_apart");
  meets.launch(1, 128, meets.random<int>(kN), meets.zeros<int>(128), kN);
}

TEST(RareSpellings, NumbersThatAllThreadsShare) {
  for (const char* kernel : {"share_1", "share_2", "share_3", "share_4"}) {
    Program p("spellings_shared.cu", kernel);
    for (const int64_t m : {int64_t{-70}, int64_t{5}, int64_t{1} << 36})
      p.launch({3, 2, 1}, {64, 1, 1}, p.random<float>(2048), p.zeros<float>(6 * 64),
               p.buffer<int64_t>({5, 900, int64_t{1} << 34, -3, 64}), p.random<int>(8), m,
               int64_t{1100}, 260, static_cast<int>(m % 7) + 9);
  }
}

/// Of sm_89: two pairs of numbers as bytes of both formats, and back.
constexpr const char* kBytes = R"(
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;
    ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 16; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
    cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;
    cvt.rn.satfinite.e4m3x2.f32 %h2, %f3, %f4;
    mov.b32 %r2, {%h1, %h2};
    cvt.rn.satfinite.e5m2x2.f32 %h3, %f1, %f2;
    cvt.rn.f16x2.e4m3x2 %r3, %h1; cvt.rn.f16x2.e4m3x2 %r4, %h2; cvt.rn.f16x2.e5m2x2 %r5, %h3;
    st.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r5};
    ret;)";

TEST(RareSpellings, BytesOfFloats) {
  TestMachine machine(kernel_text(kBytes, 2, "sm_89"));
  std::vector<float> values(128);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        (static_cast<float>(i * 37 % 128) - 64) * std::pow(4.F, static_cast<float>(i % 7) - 3);
  const uint64_t in = machine.put(values), out = machine.put(std::vector<uint32_t>(128));
  EXPECT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(in, out)}),
            "");
}

// It stops in both, with the same memory.
TEST(RareSpellings, Trap) {
  Program p(kFile, "stop_here");
  const auto out = p.zeros<int>(32);
  EXPECT_NE(p.run({1, 1, 1}, {32, 1, 1}, 0, out).find("trap"), std::string::npos);
}

}  // namespace
}  // namespace warpledger::exec
