// Kernels for the list of spellings: engines agree on them, and machine code with PTX
// (test_machine_code). Other tests check what they compute.
#include <limits>

#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

constexpr int kN = 500;

/// Numbers of all sizes: small ones that are often equal, infinities, subnormal ones, NaN.
template <class T>
Buffer<T> any_floats(Program& p, int seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values(kN);
  for (int i = 0; i < kN; ++i) {
    const T special[] = {0,
                         -T{0},
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::denorm_min(),
                         Limits::quiet_NaN()};
    const int k = i * seed;
    values[static_cast<size_t>(i)] =
        k % 9 == 0 ? special[static_cast<size_t>(k / 9 % 6)] : static_cast<T>(k % 23 - 11) / 4;
  }
  return p.buffer(std::move(values));
}

template <class T>
Buffer<T> any_integers(Program& p, int64_t step) {
  std::vector<T> values(kN);
  for (int i = 0; i < kN; ++i)
    values[static_cast<size_t>(i)] = static_cast<T>((i * step % 41 - 20) * (i % 3 == 0 ? step : 1));
  return p.buffer(std::move(values));
}

TEST(Spellings, Comparisons) {
  Program words("spellings.cu", "compare_words"), longs("spellings.cu", "compare_longs");
  words.launch(2, 256, any_integers<int>(words, 77777), any_integers<int>(words, 7),
               words.zeros<uint32_t>(kN), kN);
  longs.launch(2, 256, any_integers<int64_t>(longs, int64_t{1} << 41),
               any_integers<int64_t>(longs, 7), longs.zeros<uint32_t>(kN), kN);
  Program floats("spellings.cu", "compare_floats"), doubles("spellings.cu", "compare_doubles");
  floats.launch(2, 256, any_floats<float>(floats, 5), any_floats<float>(floats, 7),
                floats.zeros<uint32_t>(kN), kN);
  doubles.launch(2, 256, any_floats<double>(doubles, 5), any_floats<double>(doubles, 7),
                 doubles.zeros<uint32_t>(kN), kN);
}

TEST(Spellings, NumbersThatAllThreadsShare) {
  Program words("spellings.cu", "shared_words");
  for (const int x : {-5, 3, 1 << 30})
    words.launch(2, 256, x, 3, uint32_t{9} * static_cast<uint32_t>(x), 0x8000'0005U,
                 static_cast<uint32_t>(x & 1), words.zeros<uint32_t>(kN), kN);
  Program longs("spellings.cu", "shared_longs");
  for (const int64_t x : {int64_t{-5}, int64_t{7}, int64_t{1} << 45})
    longs.launch(2, 256, x, int64_t{7}, static_cast<uint32_t>(x & 1), longs.zeros<uint64_t>(kN + 1),
                 kN);
  Program bytes("spellings.cu", "byte_parameters");
  bytes.launch(2, 256, uint8_t{200}, int8_t{-100}, uint16_t{60000}, int16_t{-30000}, true,
               bytes.zeros<int>(kN), kN);
  Program table("spellings.cu", "bytes_of_constants");
  table.launch(2, 256, table.random<int>(kN), table.zeros<int64_t>(kN), kN);
}

TEST(Spellings, ConversionsAndRounding) {
  Program longs("spellings.cu", "convert_longs");
  longs.launch(2, 256, longs.random<double>(kN), longs.random<float>(kN),
               any_integers<int64_t>(longs, int64_t{1} << 33), longs.zeros<double>(kN), kN);
  Program rounds("spellings.cu", "round_otherwise");
  rounds.launch(2, 256, rounds.random<double>(kN), rounds.random<double>(kN),
                rounds.random<float>(kN), rounds.zeros<double>(kN), kN);
  Program small("spellings.cu", "flush_small");
  small.launch(2, 256, small.random<float>(kN), small.random<float>(kN), small.zeros<float>(kN),
               kN);
  Program packs("spellings.cu", "pack_brain_floats");
  packs.launch(2, 256, packs.random<float>(kN), packs.random<float>(kN), packs.zeros<uint32_t>(kN),
               packs.zeros<uint32_t>(kN), kN);
}

TEST(Spellings, WidthsOfMemory) {
  Program p("spellings.cu", "narrow_memory");
  p.launch(2, 256, p.random<uint8_t>(kN), p.random<int16_t>(kN), p.random<double>(kN),
           p.random<float>(4 * kN), p.zeros<int8_t>(kN), p.zeros<uint16_t>(kN), p.zeros<double>(kN),
           p.zeros<float>(4 * kN), kN);
  Program late("spellings.cu", "copy_late");
  late.launch(2, 128, late.random<float>(4 * 256), late.random<float>(2 * 256),
              late.zeros<float>(4 * 256), 256);
}

TEST(Spellings, BetweenThreads) {
  Program lanes("spellings.cu", "swap_between_lanes");
  lanes.launch(2, 128, lanes.random<int>(kN), lanes.random<double>(kN), lanes.zeros<int>(256),
               lanes.zeros<double>(256), kN);
  Program bins("spellings.cu", "count_in_shared");
  bins.launch(2, 256, bins.random<int>(kN), bins.zeros<int>(32), bins.zeros<uint64_t>(8), kN);
}

TEST(Spellings, DecisionsOfABlock) {
  Program tiles("spellings.cu", "tiles_by_block");
  for (const int m : {1, 3})
    tiles.launch({3, 3, 1}, {64, 1, 1}, tiles.buffer<int>({0, 3, 9, 40, 2, 5, 7, 1, 9}),
                 tiles.random<float>(2048), tiles.zeros<float>(9 * 64), 70, m, int64_t{64},
                 uint64_t{300});
  Program decides("spellings.cu", "decisions_by_block");
  decides.launch(6, 64, decides.buffer<int>({3, -5, 3, 3, 1 << 30, -5, 7, 2}),
                 decides.buffer<int64_t>({3, -5, 3, 3, int64_t{1} << 40, -5, 7, 2}),
                 decides.zeros<int>(6 * 64), kN);
  Program batches("spellings.cu", "batches_by_block");
  batches.launch(6, 64, batches.random<int>(512), batches.zeros<int>(6 * 64), 2, 3, int64_t{90},
                 int64_t{32}, uint64_t{200});
}

TEST(Spellings, SignsHalvesAndProducts) {
  Program masks("spellings.cu", "masks");
  masks.launch(2, 256, masks.random<int>(kN), masks.zeros<uint32_t>(kN), kN);
  Program memory("spellings.cu", "signed_memory");
  memory.launch(2, 256, memory.random<int8_t>(kN), memory.random<int16_t>(kN),
                memory.random<uint16_t>(kN), memory.zeros<float>(kN), memory.zeros<int>(kN), kN);
  Program packs("spellings.cu", "relu_pack");
  packs.launch(2, 256, packs.random<float>(kN), packs.random<float>(kN),
               packs.zeros<uint32_t>(2 * kN), kN);
  Program halves("spellings.cu", "compare_halves");
  halves.launch(2, 256, halves.random<uint16_t>(2 * kN, 0x7c00),
                halves.random<uint16_t>(2 * kN, 0x7c00), halves.zeros<uint32_t>(kN), kN);
  Program product("spellings.cu", "product_of_brain_floats");
  product.launch(1, 32, product.random<uint16_t>(256, 0x4100),
                 product.random<uint16_t>(256, 0x4100), product.zeros<float>(256));
}

}  // namespace
}  // namespace warpledger::exec
