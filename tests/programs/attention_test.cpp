// kernels/flash_attention.cu against attention written down plainly.
#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

constexpr size_t kLength = 128, kHead = 64, kHeads = 2;

std::vector<uint16_t> halves(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint16_t> bits(n);
  for (uint16_t& x : bits) x = half_bits(static_cast<double>(random() % 2001) / 1000 - 1);
  return bits;
}

struct Row {
  std::vector<double> out;
  double lse = 0;
};

// softmax(q K^T / 8) V of one query row.
Row attend(const std::vector<uint16_t>& q, const std::vector<uint16_t>& k,
           const std::vector<uint16_t>& v, size_t row) {
  const size_t head = row / kLength * kLength;
  Row result{.out = std::vector<double>(kHead)};
  double sum = 0;
  for (size_t key = head; key < head + kLength; ++key) {
    double score = 0;
    for (size_t d = 0; d < kHead; ++d)
      score += half_value(q[row * kHead + d]) * half_value(k[key * kHead + d]);
    const double weight = std::exp(score / 8);
    sum += weight;
    for (size_t d = 0; d < kHead; ++d) result.out[d] += weight * half_value(v[key * kHead + d]);
  }
  for (double& x : result.out) x /= sum;
  result.lse = std::log(sum);
  return result;
}

TEST(Attention, FlashKernelEqualsPlainAttention) {
  Program p("../../kernels/flash_attention.cu", "flash_attention");
  const size_t elements = kHeads * kLength * kHead;
  const auto q = p.buffer(halves(elements, 1)), k = p.buffer(halves(elements, 2)),
             v = p.buffer(halves(elements, 3)), out = p.zeros<uint16_t>(elements);
  const auto lse = p.zeros<float>(kHeads * kLength);
  p.launch({1, kHeads, 1}, {128, 1, 1}, q, k, v, out, lse, int{kLength}, 0.125F);
  const auto got = p.after(out);
  const auto sums = p.after(lse);
  for (size_t row = 0; row < kHeads * kLength; row += 7) {
    const Row want = attend(q.before, k.before, v.before, row);
    EXPECT_NEAR(sums[row], want.lse, 1e-5);
    for (size_t d = 0; d < kHead; ++d)
      ASSERT_NEAR(half_value(got[row * kHead + d]), want.out[d], 1e-3) << row << " " << d;
  }
}

}  // namespace
}  // namespace warpledger::exec
