// What Triton 3.9 makes of tests/programs/triton/kernels.py for sm_80, run to the right numbers.
#include <cmath>
#include <random>

#include "tests/support/source.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/base/file.h"
#include "warpledger/exec/numeric/convert.h"

namespace warpledger::exec {
namespace {

constexpr uint32_t kShared = 160 * 1024;  // more than any of them asks for

TestMachine machine_of(const std::string& kernel) {
  const std::string path = test::source_path("tests/inputs/ptx/triton_") + kernel + ".sm80.ptx";
  return TestMachine(read_file(path).value(), kernel + ".ptx");
}

std::vector<float> random_floats(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random() >> 40) / (1 << 24) - 0.5f;
  return values;
}

// Rounds the values to halves in place and gives their bits.
std::vector<uint16_t> to_halves(std::vector<float>& values) {
  std::vector<uint16_t> bits;
  for (float& value : values) {
    uint32_t f32 = 0;
    std::memcpy(&f32, &value, sizeof f32);
    bits.push_back(static_cast<uint16_t>(numeric::convert(numeric::kF16, numeric::kF32, f32)));
    f32 = static_cast<uint32_t>(numeric::convert(numeric::kF32, numeric::kF16, bits.back()));
    std::memcpy(&value, &f32, sizeof f32);
  }
  return bits;
}
double half_value(uint16_t bits) {
  const auto f32 = static_cast<uint32_t>(numeric::convert(numeric::kF32, numeric::kF16, bits));
  float value = 0;
  std::memcpy(&value, &f32, sizeof value);
  return value;
}

TEST(Triton, VectorAdd) {
  TestMachine machine = machine_of("add");
  const auto x = random_floats(3000, 1), y = random_floats(3000, 2);
  const uint64_t px = machine.put(x), py = machine.put(y),
                 out = machine.put(std::vector<float>(3000));
  const Launch launch{.kernel = "add",
                      .grid = {3, 1, 1},
                      .block = {128, 1, 1},
                      .params = TestMachine::pack(px, py, out, 3000, uint64_t{0}, uint64_t{0})};
  ASSERT_EQ(machine.run(launch), "");
  EXPECT_EQ(machine.trace_faults(launch), std::vector<std::string>{});
  const auto got = machine.get<float>(out, 3000);
  for (size_t i = 0; i < 3000; ++i) ASSERT_EQ(got[i], x[i] + y[i]);
}

TEST(Triton, Softmax) {
  TestMachine machine = machine_of("softmax");
  constexpr size_t kRows = 5, kColumns = 700, kStride = 704;
  const auto x = random_floats(kRows * kStride, 3);
  const uint64_t in = machine.put(x), out = machine.put(std::vector<float>(kRows * kStride));
  const Launch launch{.kernel = "softmax",
                      .grid = {2, 1, 1},
                      .block = {256, 1, 1},
                      .dynamic_shared_bytes = kShared,
                      .params = TestMachine::pack(out, in, int{kStride}, int{kStride}, int{kRows},
                                                  int{kColumns}, uint64_t{0}, uint64_t{0})};
  ASSERT_EQ(machine.run(launch), "");
  EXPECT_EQ(machine.trace_faults(launch), std::vector<std::string>{});
  const auto got = machine.get<float>(out, kRows * kStride);
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (size_t i = 0; i < kColumns; ++i)
      sum += std::exp(static_cast<double>(x[row * kStride + i]));
    for (size_t i = 0; i < kColumns; ++i) {
      const double want = std::exp(static_cast<double>(x[row * kStride + i])) / sum;
      ASSERT_NEAR(got[row * kStride + i], want, 1e-6 * want + 1e-9);
    }
  }
}

TEST(Triton, Matmul) {
  TestMachine machine = machine_of("matmul");
  constexpr int kM = 128, kN = 128, kK = 96;
  auto a = random_floats(kM * kK, 4), b = random_floats(kK * kN, 5);
  const uint64_t pa = machine.put(to_halves(a)), pb = machine.put(to_halves(b)),
                 pc = machine.put(std::vector<uint16_t>(kM * kN));
  const Launch launch{
      .kernel = "matmul",
      .block = {256, 1, 1},
      .dynamic_shared_bytes = kShared,
      .params = TestMachine::pack(pa, pb, pc, kM, kN, kK, kK, kN, kN, uint64_t{0}, uint64_t{0})};
  ASSERT_EQ(machine.run(launch), "");
  EXPECT_EQ(machine.trace_faults(launch), std::vector<std::string>{});
  const auto got = machine.get<uint16_t>(pc, kM * kN);
  for (size_t i = 0; i < kM * kN; ++i) {
    double want = 0;
    for (size_t k = 0; k < kK; ++k)
      want += static_cast<double>(a[i / kN * kK + k]) * b[k * kN + i % kN];
    ASSERT_NEAR(half_value(got[i]), want, 1e-3 * std::fmax(1, std::fabs(want))) << i;
  }
}

TEST(Triton, FlashAttention) {
  TestMachine machine = machine_of("flash");
  constexpr int kSequence = 256, kHead = 64, kHeads = 1;
  constexpr float kScale = 0.125f * 1.44269504f;
  auto q = random_floats(kSequence * kHead, 6), k = random_floats(kSequence * kHead, 7),
       v = random_floats(kSequence * kHead, 8);
  const uint64_t pq = machine.put(to_halves(q)), pk = machine.put(to_halves(k)),
                 pv = machine.put(to_halves(v));
  const uint64_t out = machine.put(std::vector<uint16_t>(kSequence * kHead));
  const Launch launch{.kernel = "flash",
                      .grid = {kSequence / 128, kHeads, 1},
                      .block = {128, 1, 1},
                      .dynamic_shared_bytes = kShared,
                      .params = TestMachine::pack(pq, pk, pv, out, kScale, kSequence * kHead, kHead,
                                                  kSequence, uint64_t{0}, uint64_t{0})};
  ASSERT_EQ(machine.run(launch), "");
  EXPECT_EQ(machine.trace_faults(launch), std::vector<std::string>{});
  const auto got = machine.get<uint16_t>(out, kSequence * kHead);
  for (size_t row = 0; row < kSequence; ++row) {
    std::vector<double> weight;
    double total = 0;
    for (size_t j = 0; j <= row; ++j) {
      double s = 0;
      for (size_t d = 0; d < kHead; ++d)
        s += static_cast<double>(q[row * kHead + d]) * k[j * kHead + d];
      weight.push_back(std::exp2(s * kScale));
      total += weight.back();
    }
    for (size_t d = 0; d < kHead; ++d) {
      double want = 0;
      for (size_t j = 0; j <= row; ++j) want += weight[j] / total * v[j * kHead + d];
      ASSERT_NEAR(half_value(got[row * kHead + d]), want, 2e-3) << row << ' ' << d;
    }
  }
}

}  // namespace
}  // namespace warpledger::exec
