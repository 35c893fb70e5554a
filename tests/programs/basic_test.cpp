#include <bit>

#include "tests/programs/program.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec {
namespace {

constexpr int kN = 1000;

TEST(Basic, VectorAdd) {
  Program p("basic.cu", "vector_add");
  const auto x = p.random<float>(kN), y = p.random<float>(kN), out = p.zeros<float>(kN);
  p.launch(4, 256, x, y, out, kN);
  p.expect(out, [&](size_t i) { return x[i] + y[i]; });
}
TEST(Basic, Daxpy) {
  Program p("basic.cu", "daxpy");
  const auto x = p.random<double>(kN), y = p.random<double>(kN);
  p.launch(4, 256, 2.5, x, y, kN);
  p.expect(y, [&](size_t i) { return std::fma(2.5, x[i], y[i]); });
}
TEST(Basic, StridedCopy) {
  Program p("basic.cu", "strided_copy");
  const auto x = p.random<int>(kN), out = p.zeros<int>(kN);
  p.launch(3, 64, x, out, 7, kN);
  p.expect(out, [&](size_t i) { return x[i * 7 % kN]; });
}
TEST(Basic, Gather) {
  Program p("basic.cu", "gather");
  const auto x = p.random<float>(kN), out = p.zeros<float>(kN);
  const auto index = p.random<int>(kN, kN);
  p.launch(4, 256, x, index, out, kN);
  p.expect(out, [&](size_t i) { return x[static_cast<size_t>(index[i])]; });
}
TEST(Basic, Vector4) {
  Program p("basic.cu", "vector4");
  const auto x = p.random<float>(400), out = p.zeros<float>(400);
  p.launch(1, 128, x, out, 100);
  p.expect(out, [&](size_t i) { return x[i / 4 * 4 + 3 - i % 4]; });
}
TEST(Basic, IntegerMix) {
  Program p("basic.cu", "integer_mix");
  auto a = p.random<int>(kN, 1u << 31), b = p.random<int>(kN, 1u << 31);
  const auto out = p.zeros<int64_t>(kN);
  p.launch(4, 256, a, b, out, kN);
  p.expect(out, [&](size_t i) {
    const int64_t x = a[i], y = b[i];
    uint32_t reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (static_cast<uint32_t>(b[i]) >> k & 1) << (31 - k);
    int64_t r = x * y + (a[i] / (b[i] | 1) + a[i] % (b[i] | 1));
    r ^= ((x * y) >> 32) << 20;
    r += std::popcount(static_cast<uint32_t>(a[i])) +
         std::countl_zero(static_cast<uint32_t>(b[i])) +
         (a[i] == 0 ? 0 : std::countr_zero(static_cast<uint32_t>(a[i])) + 1) +
         static_cast<int32_t>(reversed);
    const auto ua = static_cast<uint32_t>(a[i]), ub = static_cast<uint32_t>(b[i]);
    return r + (ua / (ub | 1) + ((ua > ub ? ua - ub : ub - ua) + 7));
  });
}
TEST(Basic, WideDivision) {
  Program p("basic.cu", "wide_division");
  const auto a = p.random<uint64_t>(kN, ~uint64_t{0}),
             b = p.random<uint64_t>(kN, uint64_t{1} << 40), out = p.zeros<uint64_t>(kN);
  p.launch(4, 256, a, b, out, kN);
  p.expect(out, [&](size_t i) {
    return a[i] / (b[i] | 1) + a[i] % (b[i] | 1) * 3 +
           static_cast<uint64_t>((numeric::uint128{a[i]} * b[i]) >> 64);
  });
}
TEST(Basic, Shifts) {
  Program p("basic.cu", "shifts");
  const auto a = p.random<uint32_t>(kN, 1ull << 32), out = p.zeros<uint32_t>(kN);
  p.launch(4, 256, a, out, kN);
  p.expect(out, [&](size_t i) {
    const uint32_t v = a[i], n = static_cast<uint32_t>(i);
    const uint64_t left = uint64_t{~v} << 32 | v, right = uint64_t{v * 3} << 32 | v;
    const uint32_t selector = 0x5140 + n % 4;
    uint32_t permuted = 0;
    for (uint32_t k = 0; k < 4; ++k)
      permuted |= static_cast<uint32_t>(left >> (8 * (selector >> (4 * k) & 7)) & 0xff) << (8 * k);
    return static_cast<uint32_t>(left << (n & 31) >> 32) ^
           static_cast<uint32_t>(right >> std::min(n * 2, 32u)) ^ (v >> (n & 31)) ^
           (v << (n & 31)) ^ permuted;
  });
}
TEST(Basic, DotBytes) {
  Program p("basic.cu", "dot_bytes");
  const auto a = p.random<int>(kN, 1ull << 32), b = p.random<int>(kN, 1ull << 32),
             out = p.zeros<int>(kN);
  p.launch(4, 256, a, b, out, kN);
  p.expect(out, [&](size_t i) {
    int r = static_cast<int>(i);
    for (int k = 0; k < 2; ++k)
      r += static_cast<int16_t>(a[i] >> (16 * k)) * static_cast<int8_t>(b[i] >> (8 * k));
    for (int k = 0; k < 4; ++k)
      r += static_cast<int8_t>(a[i] >> (8 * k)) * static_cast<int8_t>(b[i] >> (8 * k));
    return r;
  });
}
TEST(Basic, Video) {
  Program p("basic.cu", "video");
  const auto a = p.random<uint32_t>(kN, 1ull << 32), b = p.random<uint32_t>(kN, 1ull << 32),
             out = p.zeros<uint32_t>(kN);
  p.launch(4, 256, a, b, out, kN);
  p.expect(out, [&](size_t i) {
    uint32_t add = 0, difference = 0, maximum = 0, sad = 0;
    for (int k = 0; k < 32; k += 8) {
      const int x = a[i] >> k & 0xff, y = b[i] >> k & 0xff;
      add |= static_cast<uint32_t>((x + y) & 0xff) << k;
      difference |= static_cast<uint32_t>(std::abs(x - y)) << k;
      sad += static_cast<uint32_t>(std::abs(x - y));
    }
    for (int k = 0; k < 32; k += 16)
      maximum |= static_cast<uint32_t>(static_cast<uint16_t>(
                     std::max(static_cast<int16_t>(a[i] >> k), static_cast<int16_t>(b[i] >> k))))
                 << k;
    return add ^ difference ^ maximum ^ sad;
  });
}

std::vector<uint16_t> halves(const std::vector<float>& values) {
  std::vector<uint16_t> result;
  for (const float value : values) result.push_back(half_bits(value));
  return result;
}
TEST(Basic, HalfMath) {
  Program p("basic.cu", "half_math");
  const auto x = p.buffer(halves(p.random<float>(kN).before)),
             y = p.buffer(halves(p.random<float>(kN).before)), out = p.zeros<uint16_t>(kN);
  p.launch(4, 256, x, y, out, kN);
  p.expect(out,
           [&](size_t i) {  // double holds every half product and sum exactly: one rounding each
             const double square = half_value(half_bits(half_value(y[i]) * half_value(y[i])));
             const double sum = half_value(half_bits(half_value(x[i]) + square));
             return half_bits(half_value(x[i]) * half_value(y[i]) + sum);
           });
}
TEST(Basic, Half2Math) {
  Program p("basic.cu", "half2_math");
  const auto x = p.buffer(halves(p.random<float>(kN).before)),
             y = p.buffer(halves(p.random<float>(kN).before)), out = p.zeros<uint16_t>(kN);
  p.launch(4, 128, x, y, out, kN / 2);
  p.expect(out, [&](size_t i) {
    return half_bits(half_value(x[i]) * half_value(y[i]) +
                     std::fmax(half_value(x[i]), half_value(y[i])));
  });
}
TEST(Basic, BfloatMath) {
  Program p("basic.cu", "bfloat_math");
  const auto top = [](const Buffer<float>& f) {
    std::vector<uint16_t> result;
    for (const float v : f.before)
      result.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(v) >> 16));
    return result;
  };
  const auto x = p.buffer(top(p.random<float>(kN))), y = p.buffer(top(p.random<float>(kN))),
             out = p.zeros<uint16_t>(kN);
  p.launch(4, 256, x, y, out, kN);
  const auto value = [](uint16_t b) { return std::bit_cast<float>(uint32_t{b} << 16); };
  p.expect(out, [&](size_t i) {
    const double exact = static_cast<double>(value(x[i])) * value(y[i]) + value(y[i]);
    return static_cast<uint16_t>(
        numeric::convert(numeric::kBf16, numeric::kF64, std::bit_cast<uint64_t>(exact)));
  });
}
TEST(Basic, Roundings) {
  Program p("basic.cu", "roundings");
  const auto x = p.random<float>(kN), y = p.random<float>(kN), out = p.zeros<float>(kN);
  p.launch(4, 256, x, y, out, kN);
  p.expect(
      out,
      [&](size_t i) {
        const double a = x[i], b = y[i];
        return a + b + a * b - a / (b + 1) + std::sqrt(a) + a * b + 1 + 1 / (a + 1);
      },
      1e-6);
}
TEST(Basic, Conversions) {
  Program p("basic.cu", "conversions");
  const auto x = p.random<float>(kN);
  const auto out = p.zeros<int>(kN);
  p.launch(4, 256, x, out, kN);
  p.expect(out, [&](size_t i) {
    const float v = std::fma(x[i], 1000.0f, -500.0f);
    return static_cast<int>(std::nearbyint(v)) + 3 * static_cast<int>(std::ceil(v)) +
           5 * (v <= 0 ? 0 : static_cast<int>(v)) + static_cast<int>(std::floor(v * 7)) +
           static_cast<int>(half_value(half_bits(v))) +
           static_cast<short>(static_cast<int>(v * 3.0));
  });
}
TEST(Basic, Fp8RoundTrip) {
  Program p("basic.cu", "fp8_round_trip", "sm_89");
  const auto x = p.random<float>(kN), out = p.zeros<float>(kN);
  p.launch(4, 256, x, out, kN);
  p.expect(out, [&](size_t i) {  // three fraction bits, the smallest step 2^-9
    const double v = std::fma(x[i], 64.0f, -32.0f);
    const double step = std::ldexp(1, std::max(std::ilogb(v), -6) - 3);
    return std::nearbyint(v / step) * step;
  });
}
TEST(Basic, LibraryMath) {
  Program p("basic.cu", "library_math");
  const auto x = p.random<float>(200), out = p.zeros<float>(200);
  p.launch(1, 256, x, out, 200);
  p.expect(
      out,
      [&](size_t i) {
        const double v = x[i] * 8.0 - 4.0;
        return std::sin(v) + std::cos(v) + std::exp(v) + std::log(v * v + 1) + std::tanh(v) +
               std::pow(v * v, 0.3) + std::erf(v);
      },
      1e-5);
}
TEST(Basic, LibraryDouble) {
  Program p("basic.cu", "library_double");
  const auto x = p.random<double>(200), out = p.zeros<double>(200);
  p.launch(1, 256, x, out, 200);
  p.expect(
      out,
      [&](size_t i) {
        const double v = x[i] * 8.0 - 4.0;
        return std::sin(v) + std::exp(v) + std::log(v * v + 1) + std::sqrt(v * v) + std::atan(v) +
               1 / (v * v + 1);
      },
      1e-13);
}
TEST(Basic, FastMath) {
  Program p("basic.cu", "fast_math");
  const auto x = p.random<float>(kN), out = p.zeros<float>(kN);
  p.launch(4, 256, x, out, kN);
  p.expect(
      out,
      [&](size_t i) {
        const double v = x[i] + 0.25;
        return std::exp(v) + std::log(v) + std::sin(v) + std::cos(v) + 1 / v + 1 / std::sqrt(v);
      },
      2e-6);
}
TEST(Basic, StructParameter) {
  struct Params {
    float scale;
    int offset;
    float table[6];
  } params{2.0f, 5, {1, 2, 3, 4, 5, 6}};
  Program p("basic.cu", "struct_param");
  const auto out = p.zeros<float>(100);
  std::vector<std::byte> bytes(sizeof params);
  std::memcpy(bytes.data(), &params, sizeof params);
  const auto rest = TestMachine::pack(out.address, 100);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  EXPECT_EQ(p.machine().run({.kernel = "struct_param", .block = {128, 1, 1}, .params = bytes}), "");
  p.expect(out, [&](size_t i) {
    return params.scale * params.table[i % 6] + static_cast<float>(params.offset);
  });
}
TEST(Basic, ConstantsAndInitializedGlobals) {
  Program p("basic.cu", "polynomial");
  const auto x = p.random<float>(kN), out = p.zeros<float>(kN);
  p.launch(4, 256, x, out, kN);
  p.expect(out, [&](size_t i) {
    float r = 0;
    for (const float c : {-0.125f, 0.25f, 0.5f, -2.0f, 1.0f}) r = std::fma(r, x[i], c);
    return r;
  });
  const ptx::Module& module = p.machine().image().module();
  for (uint32_t v = 0; v < module.variables.size(); ++v) {
    if (module.variables[v].name != "counter") continue;
    EXPECT_EQ(p.machine().get<int>(p.machine().image().address_of(v), 1)[0], 42);
  }
}

}  // namespace
}  // namespace warpledger::exec
