// kernels/attention_sm90.cu and kernels/attention_sm100.cu against attention written down plainly.
#include "tests/programs/program.h"
#include "warpledger/exec/decode/tensor_map.h"

namespace warpledger::exec {
namespace {

constexpr size_t kSequence = 256, kHead = 64, kHeads = 1;

std::vector<uint16_t> halves(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint16_t> bits(kHeads * kSequence * kHead);
  for (uint16_t& x : bits) x = half_bits(static_cast<double>(random() % 2001) / 1000 - 1);
  return bits;
}

TensorMapBytes map_of(uint64_t address) {
  TensorMap map{.element = TensorElement::kF16,
                .rank = 2,
                .address = address,
                .size = {kHead, kHeads * kSequence},
                .stride = {kHead * 2},
                .box = {64, 64},
                .swizzle = SharedMode::k128};
  return *encode(map);
}

std::vector<double> attend(const std::vector<uint16_t>& q, const std::vector<uint16_t>& k,
                           const std::vector<uint16_t>& v, size_t row) {
  const size_t head = row / kSequence * kSequence;
  std::vector<double> out(kHead);
  double sum = 0;
  for (size_t key = head; key < head + kSequence; ++key) {
    double score = 0;
    for (size_t d = 0; d < kHead; ++d)
      score += half_value(q[row * kHead + d]) * half_value(k[key * kHead + d]);
    const double weight = std::exp(score / 8);
    sum += weight;
    for (size_t d = 0; d < kHead; ++d) out[d] += weight * half_value(v[key * kHead + d]);
  }
  for (double& x : out) x /= sum;
  return out;
}

void expect_attention(const std::string& kernel, const std::string& arch, uint32_t rows) {
  Program p("../../kernels/" + kernel + ".cu", kernel, arch);
  const auto q = p.buffer(halves(1)), k = p.buffer(halves(2)), v = p.buffer(halves(3));
  const auto out = p.zeros<uint16_t>(q.size());
  constexpr float kScale = 0.125f * 1.44269504f;
  ASSERT_EQ(p.run({static_cast<uint32_t>(kSequence / rows), kHeads, 1}, {128, 1, 1}, 52 * 1024,
                  map_of(q.address), map_of(k.address), map_of(v.address), out,
                  static_cast<int>(kSequence), kScale),
            "");
  const auto got = p.after(out);
  for (size_t row = 0; row < kHeads * kSequence; row += 5) {
    const std::vector<double> want = attend(q.before, k.before, v.before, row);
    for (size_t d = 0; d < kHead; ++d)
      ASSERT_NEAR(half_value(got[row * kHead + d]), want[d], 2e-3) << row << ' ' << d;
  }
}

TEST(Attention, WgmmaKernelEqualsPlainAttention) {
  expect_attention("attention_sm90", "sm_90a", 64);
}
TEST(Attention, Tcgen05KernelEqualsPlainAttention) {
  expect_attention("attention_sm100", "sm_100a", 128);
}

}  // namespace
}  // namespace warpledger::exec
