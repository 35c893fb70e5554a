// The meaning of programs: the interpreter against plain loops over the same numbers.
#include "warpledger/tile/interpret.h"

#include <cmath>

#include "tests/support/law.h"
#include "tests/support/source.h"
#include "warpledger/tile/parser.h"

namespace warpledger::tile {
namespace {

CheckedProgram tile_file(const std::string& name) {
  auto program = load(test::source_path("tiles/") + name);
  WL_CHECK(program);
  return *program;
}

/// softmax(scale * Q K^T) V, straight from its definition.
Values attention(const RunInput& input, int64_t n, int64_t d) {
  const Values &q = input.tensors.at("Q"), &k = input.tensors.at("K"), &v = input.tensors.at("V");
  Values out(static_cast<size_t>(n * d), 0.0);
  for (int64_t r = 0; r < n; ++r) {
    Values weight(static_cast<size_t>(n), 0.0);
    double total = 0;
    for (int64_t c = 0; c < n; ++c) {
      double dot = 0;
      for (int64_t x = 0; x < d; ++x) dot += q[size_t(r * d + x)] * k[size_t(c * d + x)];
      total += weight[size_t(c)] = std::exp(dot * input.scalars.at("scale"));
    }
    for (int64_t c = 0; c < n; ++c) {
      for (int64_t x = 0; x < d; ++x) {
        out[size_t(r * d + x)] += weight[size_t(c)] / total * v[size_t(c * d + x)];
      }
    }
  }
  return out;
}

LAW_ROUNDS(Interpret, BothAttentionProgramsComputeAttention, 10) {
  const int64_t br = rng.between(1, 4), bc = rng.between(1, 4), d = rng.between(1, 5);
  const int64_t n = br * bc * rng.between(1, 2);
  const Sizes sizes = {{"N", n}, {"d", d}, {"Br", br}, {"Bc", bc}};
  for (const char* file : {"attention_naive.tile", "attention_flash.tile"}) {
    const CheckedProgram program = tile_file(file);
    const RunInput input = *random_input(program, sizes, rng.bits());
    const auto run = interpret(program, input);
    ASSERT_TRUE(run) << to_text(run.error());
    const Values want = attention(input, n, d);
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(run->tensors.at("O")[i], want[i], 1e-9) << file;
    }
  }
}

TEST(Interpret, RearrangedTileProgramMeansTheSameAsTheNaiveOne) {
  const CheckedProgram naive = tile_file("attention_tile_naive.tile");
  const CheckedProgram better = tile_file("attention_tile_rearranged.tile");
  const Sizes sizes = {{"Br", 4}, {"Bc", 3}, {"d", 2}, {"T", 5}};
  const RunInput input = *random_input(naive, sizes, 1);
  EXPECT_LT(difference(naive, *interpret(naive, input), *interpret(better, input)), 1e-12);
}

TEST(Interpret, CountsTheBytesThatCrossAnEdge) {
  const CheckedProgram naive = tile_file("attention_tile_naive.tile");
  const RunInput input = *random_input(naive, naive->known_sizes(), 1);
  const tile::Run run = *interpret(naive, input);
  int64_t total = 0;
  for (const auto& [edge, bytes] : run.bytes) total += bytes;
  EXPECT_EQ(total, 1196032);
  EXPECT_EQ(run.stored.at("Output"), 262144);
}

TEST(Interpret, ASliceOutsideItsTensorIsAFault) {
  const auto program = parse("t",
                             "program p\nsize N = 4\ninput A[N, N] f32\nkernel k {\n"
                             "  a = copy A[3 of 2, :] to shared\n}\n");
  const auto run = interpret(*check(*program), *random_input(*program, {{"N", 4}}, 1));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "out-of-range");
}

}  // namespace
}  // namespace warpledger::tile
