// What Triton 3.9 makes of tests/programs/triton/kernels.py for sm_90 and sm_100, run to the right
// numbers, and faults planted into it.
#include <cmath>
#include <random>

#include "tests/support/source.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/base/file.h"
#include "warpledger/exec/decode/tensor_map.h"
#include "warpledger/exec/numeric/convert.h"

namespace warpledger::exec {
namespace {

constexpr uint32_t kShared = 100 * 1024;

std::string ptx_of(const std::string& kernel, const std::string& arch) {
  return read_file(test::source_path("tests/inputs/ptx/triton_") + kernel + "." + arch + ".ptx")
      .value();
}

/// Halves in [-1/2, 1/2), and their values.
struct Halves {
  std::vector<uint16_t> bits;
  std::vector<double> values;
  Halves(size_t n, uint64_t seed) {
    std::mt19937_64 random(seed);
    for (size_t i = 0; i < n; ++i) {
      const float x = static_cast<float>(random() >> 40) / (1 << 24) - 0.5f;
      bits.push_back(static_cast<uint16_t>(
          numeric::convert(numeric::kF16, numeric::kF32, std::bit_cast<uint32_t>(x))));
      values.push_back(value(bits.back()));
    }
  }
  static double value(uint16_t half) {
    return std::bit_cast<float>(
        static_cast<uint32_t>(numeric::convert(numeric::kF32, numeric::kF16, half)));
  }
};

TensorMap map_of(uint64_t address, uint64_t rows, uint64_t columns, SharedMode swizzle) {
  return {.element = TensorElement::kF16,
          .rank = 2,
          .address = address,
          .size = {columns, rows},
          .stride = {columns * 2},
          .box = {64, 128},
          .swizzle = swizzle};
}

/// The kernel's parameters: a descriptor is its map, its shape and its strides.
class Parameters {
 public:
  explicit Parameters(TestMachine& machine)
      : arguments_(machine.image().module(),
                   **find_kernel(machine.image().module(), "matmul_tma")) {}
  template <class T>
  void add(T value) {
    ASSERT_TRUE(arguments_.add(&value, sizeof value));
  }
  void add_tensor(const TensorMap& map) {
    add(*encode(map));
    add(static_cast<uint32_t>(map.size[1]));
    add(static_cast<uint32_t>(map.size[0]));
    add(map.size[0]);
    add(uint64_t{1});
  }
  std::vector<std::byte> finish() { return *arguments_.finish(); }

 private:
  Arguments arguments_;
};

constexpr int kM = 128, kN = 128, kK = 160;  // the last step of K is half outside

struct TmaMatmul {
  Halves a{kM * kK, 1}, b{kN * kK, 2};
  uint64_t c = 0;
  std::string error;
};

TmaMatmul run_tma_matmul(TestMachine& machine, SharedMode swizzle = SharedMode::k128) {
  TmaMatmul run;
  const uint64_t a = machine.put(run.a.bits), b = machine.put(run.b.bits);
  run.c = machine.put(std::vector<uint16_t>(kM * kN));
  Parameters parameters(machine);
  parameters.add_tensor(map_of(a, kM, kK, swizzle));
  parameters.add_tensor(map_of(b, kN, kK, swizzle));
  parameters.add_tensor(map_of(run.c, kM, kN, swizzle));
  parameters.add(uint32_t{kK});
  parameters.add(uint64_t{0});
  parameters.add(uint64_t{0});
  run.error = machine.run({.kernel = "matmul_tma",
                           .block = {256, 1, 1},
                           .dynamic_shared_bytes = kShared,
                           .params = parameters.finish()});
  return run;
}

void expect_product(TestMachine& machine, uint64_t c, const Halves& a, const Halves& b, int k,
                    bool b_is_turned) {
  const auto got = machine.get<uint16_t>(c, kM * kN);
  for (int i = 0; i < kM * kN; ++i) {
    double want = 0;
    for (int j = 0; j < k; ++j) {
      const int at = b_is_turned ? i % kN * k + j : j * kN + i % kN;
      want += a.values[static_cast<size_t>(i / kN * k + j)] * b.values[static_cast<size_t>(at)];
    }
    ASSERT_NEAR(Halves::value(got[static_cast<size_t>(i)]), want,
                1e-3 * std::fmax(1, std::fabs(want)))
        << i;
  }
}

class TritonHopper : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Architectures, TritonHopper, ::testing::Values("sm90", "sm100"));

TEST_P(TritonHopper, MatmulWithTensorCopies) {
  TestMachine machine(ptx_of("matmul_tma", GetParam()));
  const TmaMatmul run = run_tma_matmul(machine);
  ASSERT_EQ(run.error, "");
  expect_product(machine, run.c, run.a, run.b, kK, true);
}

TEST_P(TritonHopper, DescriptorOfAnotherSwizzleIsTold) {
  TestMachine machine(ptx_of("matmul_tma", GetParam()));
  const TmaMatmul run = run_tma_matmul(machine, SharedMode::kNone);
  EXPECT_NE(run.error.find("swizzle-mismatch"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("says swizzle '128B'"), std::string::npos) << run.error;
}

TEST_P(TritonHopper, Matmul) {
  TestMachine machine(ptx_of("matmul", GetParam()));
  constexpr int kDepth = 96;
  const Halves a(kM * kDepth, 4), b(kDepth * kN, 5);
  const uint64_t pa = machine.put(a.bits), pb = machine.put(b.bits),
                 pc = machine.put(std::vector<uint16_t>(kM * kN));
  ASSERT_EQ(machine.run({.kernel = "matmul",
                         .block = {256, 1, 1},
                         .dynamic_shared_bytes = kShared,
                         .params = TestMachine::pack(pa, pb, pc, kM, kN, kDepth, kDepth, kN, kN,
                                                     uint64_t{0}, uint64_t{0})}),
            "");
  expect_product(machine, pc, a, b, kDepth, false);
}

TEST_P(TritonHopper, FlashAttention) {
  TestMachine machine(ptx_of("flash", GetParam()));
  constexpr int kSequence = 128, kHead = 64;
  constexpr float kScale = 0.125f * 1.44269504f;
  const Halves q(kSequence * kHead, 6), k(kSequence * kHead, 7), v(kSequence * kHead, 8);
  const uint64_t pq = machine.put(q.bits), pk = machine.put(k.bits), pv = machine.put(v.bits);
  const uint64_t out = machine.put(std::vector<uint16_t>(kSequence * kHead));
  ASSERT_EQ(machine.run({.kernel = "flash",
                         .grid = {kSequence / 128, 1, 1},
                         .block = {128, 1, 1},
                         .dynamic_shared_bytes = kShared,
                         .params = TestMachine::pack(pq, pk, pv, out, kScale, kSequence * kHead,
                                                     kHead, kSequence, uint64_t{0}, uint64_t{0})}),
            "");
  const auto got = machine.get<uint16_t>(out, kSequence * kHead);
  for (size_t row = 0; row < kSequence; row += 7) {
    std::vector<double> weight;
    double total = 0;
    for (size_t j = 0; j <= row; ++j) {
      double s = 0;
      for (size_t d = 0; d < kHead; ++d) s += q.values[row * kHead + d] * k.values[j * kHead + d];
      weight.push_back(std::exp2(s * kScale));
      total += weight.back();
    }
    for (size_t d = 0; d < kHead; ++d) {
      double want = 0;
      for (size_t j = 0; j <= row; ++j) want += weight[j] / total * v.values[j * kHead + d];
      ASSERT_NEAR(Halves::value(got[row * kHead + d]), want, 2e-3) << row << ' ' << d;
    }
  }
}

/// The text without the first line that contains `what`.
std::string without_line(std::string text, const std::string& what) {
  const size_t at = text.find(what);
  const size_t begin = text.rfind('\n', at), end = text.find('\n', at);
  return text.erase(begin, end - begin);
}
std::string with(std::string text, const std::string& what, const std::string& instead) {
  return text.replace(text.find(what), what.size(), instead);
}

void expect_fault(const std::string& text, const std::string& code, const std::string& words) {
  TestMachine machine(text);
  const TmaMatmul run = run_tma_matmul(machine);
  EXPECT_NE(run.error.find(code), std::string::npos) << run.error;
  EXPECT_NE(run.error.find(words), std::string::npos) << run.error;
}

TEST(PlantedFaults, MissingTransactionBytes) {
  expect_fault(with(ptx_of("matmul_tma", "sm90"), "[%r6], 32768", "[%r6], 16384"),
               "unannounced-bytes", "16384 bytes that were copied without an expect_tx");
}
TEST(PlantedFaults, TooManyTransactionBytes) {
  expect_fault(with(ptx_of("matmul_tma", "sm90"), "[%r6], 32768", "[%r6], 65536"),
               "mbarrier-deadlock", "and 32768 bytes of expect_tx have not been copied");
}
TEST(PlantedFaults, WgmmaResultReadTooEarly) {
  std::string text = without_line(ptx_of("matmul_tma", "sm90"), "wgmma.wait_group.sync.aligned 1");
  expect_fault(without_line(text, "wgmma.wait_group.sync.aligned 0"), "wgmma-in-flight",
               "wgmma.mma_async");
}
TEST(PlantedFaults, TensorMemoryNeverFreed) {
  expect_fault(without_line(ptx_of("matmul_tma", "sm100"), "tcgen05.dealloc"), "tensor-memory-leak",
               "128 columns");
}
}  // namespace
}  // namespace warpledger::exec
