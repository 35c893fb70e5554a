// Kernels for the list of spellings (spellings_test.cpp): those that came after sm_89.
#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

constexpr int kN = 500;
constexpr const char* kFile = "spellings_late.cu";
constexpr uint64_t kWord = uint64_t{1} << 32;

TEST(LateSpellings, ExtremesOfThree) {
  Program p(kFile, "three_extremes");
  const auto a = p.random<int>(kN, kWord), b = p.random<int>(kN, kWord);
  const auto out = p.zeros<int>(8 * kN);
  p.launch(2, 256, a, b, out, kN);
  p.expect(out, [&, got = p.after(out)](size_t i) {
    const auto z =
        static_cast<int>(static_cast<uint32_t>(a[i / 8]) * 3 - static_cast<uint32_t>(b[i / 8]));
    if (i % 8 == 0) return std::max({a[i / 8], b[i / 8], z});
    return i % 8 == 1 ? std::min({a[i / 8], b[i / 8], z}) : got[i];
  });
}

TEST(LateSpellings, ExtremesOfPairs) {
  Program p(kFile, "pair_extremes");
  p.launch(2, 256, p.random<uint32_t>(kN, kWord), p.random<uint32_t>(kN, kWord),
           p.zeros<uint32_t>(8 * kN), kN);
}

TEST(LateSpellings, WordsOf32Bytes) {
  Program p(kFile, "words_of_32_bytes");
  const auto x = p.random<double>(4 * kN), out = p.zeros<double>(4 * kN);
  const auto k = p.random<int64_t>(4 * kN);
  p.launch(2, 256, x, k, out, kN);
  p.expect(out, [&](size_t i) {
    const auto by = static_cast<double>(k[i]);
    return i % 4 == 1 ? x[i] * by : i % 4 == 2 ? x[i] - by : x[i] + by;
  });
}

TEST(LateSpellings, ExtremesAndSumsOf64Bits) {
  Program extremes(kFile, "wide_extremes");
  extremes.launch(2, 256, extremes.random<int64_t>(kN, ~uint64_t{0}),
                  extremes.random<uint64_t>(kN, ~uint64_t{0}), extremes.zeros<int64_t>(4 * kN),
                  int64_t{-5} << 40, uint64_t{7} << 60, kN);
  Program sums(kFile, "sums_of_128_bits");
  const auto a = sums.random<uint64_t>(kN, ~uint64_t{0}),
             b = sums.random<uint64_t>(kN, ~uint64_t{0});
  const auto out = sums.zeros<uint64_t>(4 * kN);
  sums.launch(2, 256, a, b, out, kN);
  sums.expect(out, [&, got = sums.after(out)](size_t i) {
    const uint64_t low = a[i / 4] + b[i / 4];
    if (i % 4 == 0) return low;
    return i % 4 == 1 ? low + (low < a[i / 4] ? 1 : 0) : got[i];
  });
}

TEST(LateSpellings, FloatsOfTheUniformDatapath) {
  for (const float a : {2.75f, -3.5f, 1e9f}) {
    Program sums(kFile, "uniform_sums");
    const auto out = sums.zeros<float>(8 * kN);
    sums.launch(2, 256, a, 1.25f, 7, out, kN);
    sums.expect(out, [&, got = sums.after(out)](size_t i) {
      if (i % 8 == 0) return a * 1.25f + static_cast<float>(i / 8);
      return i % 8 == 1 ? a + 1.25f - static_cast<float>(i / 8) : got[i];
    });
    Program choices(kFile, "uniform_choices");
    choices.launch(2, 256, a, 1.25f, 7, choices.zeros<float>(kN), kN);
    Program conversions(kFile, "uniform_conversions");
    conversions.launch(2, 256, a, 0xfedc'ba98U, uint8_t{200}, int16_t{-300},
                       conversions.zeros<int>(4 * kN), kN);
  }
}

TEST(LateSpellings, SinesToEightBitsAndRelaxedMemory) {
  Program sines(kFile, "coarse_sines");
  sines.launch(2, 256, sines.random<float>(kN), sines.zeros<int>(kN), kN);
  Program relaxed(kFile, "relaxed_memory");
  const auto a = relaxed.random<int>(kN), out = relaxed.zeros<int>(kN);
  relaxed.launch(2, 256, a, out, kN);
  relaxed.expect(out, [&](size_t i) { return 5 * a[i]; });
}

}  // namespace
}  // namespace warpledger::exec
