// tcgen05.mma of every kind, with and without scales, alone and in a pair, against plain products.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/exec/semantics/tensor_tiles.h"

namespace warpledger::exec {
namespace {

using ptx::Type;

constexpr uint32_t kBytes = 16384;

struct Case {
  std::string name, kind;
  uint32_t m, n, k, descriptor;  // with the types' bits, without m and n
  TileLayout a, b;
  uint32_t scale_every = 0;
};

uint64_t bits_of(const TileLayout& layout, uint32_t start) {
  return *encode(descriptor_of(layout, start), DescriptorKind::kTcgen05);
}

std::string number(uint64_t value) { return std::to_string(value); }

uint32_t instruction_of(const Case& c, uint32_t m) {
  const uint32_t rows = c.scale_every == 0 ? m / 16 << 24 : m / 128 << 27;
  return c.descriptor | c.n / 8 << 17 | rows;
}

/// Columns: D from 0, the scales of A from 64, of B from 96.
std::string product_of(const Case& c, const std::string& group, uint32_t m) {
  std::string text =
      ".reg .b64 x, y, start;\n.reg .pred no;\nsetp.ne.u32 no, t, t;\n"
      "mov.u32 a, tile;\nand.b32 a, a, 0xffffff;\nshr.u32 a, a, 4;\ncvt.u64.u32 start, a;\n";
  text += "or.b64 x, start, " + number(bits_of(c.a, 0)) + ";\nadd.u64 start, start, 1024;\n" +
          "or.b64 y, start, " + number(bits_of(c.b, 0)) +
          ";\n.reg .b32 sa, sb, how;\nmov.b32 how, " + number(instruction_of(c, m)) +
          ";\nadd.u32 sa, base, 64;\nadd.u32 sb, base, 96;\n";
  text += "@first tcgen05.mma." + group + "." + c.kind + " [base], x, y, how, ";
  return text + (c.scale_every == 0 ? "no;\n" : "[sa], [sb], no;\n");
}

std::string alloc(const std::string& group) {
  return R"(
  .shared .align 4 .b32 place;
  .reg .b32 base, w, mine; .reg .pred lead;
  shr.u32 w, t, 5;
  setp.eq.u32 lead, w, 0;
  mov.u32 mine, place;
  @lead tcgen05.alloc.)" +
         group + R"(.sync.aligned.shared::cta.b32 [mine], 128;
  bar.sync 0;
  ld.shared.b32 base, [mine];
  shl.b32 w, w, 21;
  add.u32 w, w, base;
)";
}
std::string finish(const Case& c, const std::string& group) {
  return "W1: mbarrier.try_wait.parity.shared::cta.b64 q, [b+8], 0;\n@!q bra W1;\n"
         "tcgen05.fence::after_thread_sync;\n.reg .b32 d<" +
         number(c.n) + ">;\ntcgen05.ld.sync.aligned.32x32b.x" + number(c.n) + ".b32 " +
         register_list("d", c.n) + ", [w];\ntcgen05.wait::ld.sync.aligned;\n" + copy_out("d", c.n) +
         "bar.sync 0;\n@lead tcgen05.dealloc." + group + ".sync.aligned.b32 base, 128;\nret;";
}

// p3: 16 words a lane, scales of A; then 16 of B.
std::string load_scales(const Case& c) {
  if (c.scale_every == 0) return {};
  std::string text =
      ".reg .b64 sc, lane64; .reg .b32 lane, v, to;\nld.param.u64 sc, [p3];\n"
      "and.b32 lane, t, 31;\nmul.wide.u32 lane64, lane, 128;\n"
      "add.u64 sc, sc, lane64;\n";
  for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t column = i < 4 ? 64 + i : 96 + i - 4, word = i < 4 ? i : 16 + i - 4;
    text += "ld.global.b32 v, [sc+" + number(4 * word) + "];\nadd.u32 to, w, " + number(column) +
            ";\ntcgen05.st.sync.aligned.32x32b.x1.b32 [to], {v};\n";
  }
  return text + "tcgen05.wait::st.sync.aligned;\nbar.sync 0;\n";
}

std::string kernel_of(const Case& c) {
  const std::string group = "cta_group::1";
  return kernel_text(copy_in(kBytes) + alloc(group) + load_scales(c) + product_of(c, group, c.m) +
                         "@first tcgen05.commit." + group +
                         ".mbarrier::arrive::one.shared::cluster.b64 [b+8];\n" + finish(c, group),
                     4, "sm_100a", "9.0");
}

/// Powers of two as ue8m0, or 1, 1.5 as ue4m3: the bytes, and their values.
struct Scales {
  std::vector<uint32_t> words = std::vector<uint32_t>(32 * 32);
  std::vector<double> a, b;  // [row * parts + part]
  Scales(const Case& c, bool e4m3) {
    std::mt19937_64 random(9);
    const uint32_t parts = c.scale_every == 0 ? 1 : c.k / c.scale_every;
    const auto fill = [&](std::vector<double>& to, uint32_t rows, uint32_t first) {
      for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t part = 0; part < parts; ++part) {
          const auto step = static_cast<uint32_t>(random() % 3);
          const uint32_t byte = e4m3 ? 0x38 + 4 * step : 126 + step;
          to.push_back(e4m3 ? (step == 0   ? 1
                               : step == 1 ? 1.5
                                           : 2)
                            : std::ldexp(1, static_cast<int>(step) - 1));
          words[row % 32 * 32 + first + row / 32] |= byte << (8 * part);
        }
      }
    };
    fill(a, 128, 0);
    fill(b, c.n, 16);
  }
};

class Tcgen05 : public ::testing::TestWithParam<Case> {};

TEST_P(Tcgen05, EqualsThePlainProduct) {
  const Case& c = GetParam();
  const int most = c.kind.find("mxf4") != std::string::npos || c.name == "e2m1" ? 3 : 4;
  const SmallMatrix a(c.m, c.k, 1, most), b(c.n, c.k, 2, most);
  const bool e4m3 = c.kind.find("nvf4") != std::string::npos;
  const Scales scales(c, e4m3);
  TestMachine machine(kernel_of(c));
  const uint64_t pa = machine.put(image_of(a, c.a, kBytes)),
                 pb = machine.put(image_of(b, c.b, kBytes)),
                 out = machine.put(std::vector<uint32_t>(128 * c.n)),
                 ps = machine.put(scales.words);
  ASSERT_EQ(
      machine.run(
          {.kernel = "k", .block = {128, 1, 1}, .params = TestMachine::pack(pa, pb, out, ps)}),
      "");
  const auto got = machine.get<uint32_t>(out, 128 * c.n);
  const uint32_t parts = c.scale_every == 0 ? 1 : c.k / c.scale_every;
  for (uint32_t i = 0; i < c.m * c.n; ++i) {
    const uint32_t row = i / c.n, column = i % c.n;
    const uint32_t lane = c.m == 64 ? row % 16 + 32 * (row / 16) : row;
    double want = 0;
    for (uint32_t k = 0; k < c.k; ++k) {
      const uint32_t part = c.scale_every == 0 ? 0 : k / c.scale_every;
      const double scale =
          c.scale_every == 0 ? 1 : scales.a[row * parts + part] * scales.b[column * parts + part];
      want += a.at(row, k) * b.at(column, k) * scale;
    }
    const uint32_t bits = got[lane * c.n + column];
    const double value = c.kind == "kind::i8" ? static_cast<double>(static_cast<int32_t>(bits))
                                              : static_cast<double>(std::bit_cast<float>(bits));
    ASSERT_EQ(value, want) << row << ' ' << column;
  }
}

TileLayout tile(Type type, SharedMode mode, uint32_t per_chunk, bool mn_major = false) {
  return {type, mode, mn_major, per_chunk};
}
constexpr uint32_t kF32 = 1u << 4;

INSTANTIATE_TEST_SUITE_P(
    Cases, Tcgen05,
    ::testing::Values(
        Case{"f16", "kind::f16", 128, 32, 16, kF32, tile(Type::kF16, SharedMode::k128, 8),
             tile(Type::kF16, SharedMode::k128, 8)},
        Case{"f16half", "kind::f16", 64, 16, 16, kF32, tile(Type::kF16, SharedMode::k64, 8),
             tile(Type::kF16, SharedMode::k64, 8)},
        Case{"turned", "kind::f16", 64, 64, 16, kF32 | 3u << 15,
             tile(Type::kF16, SharedMode::k128, 8, true),
             tile(Type::kF16, SharedMode::k128, 8, true)},
        Case{"tf32", "kind::tf32", 128, 16, 8, kF32 | 2u << 7 | 2u << 10,
             tile(Type::kTf32, SharedMode::k32, 4), tile(Type::kTf32, SharedMode::k32, 4)},
        Case{"fp8", "kind::f8f6f4", 128, 16, 32, kF32 | 1u << 10,
             tile(Type::kE4m3, SharedMode::k128, 16), tile(Type::kE5m2, SharedMode::k128, 16)},
        Case{"e2m1", "kind::f8f6f4", 128, 16, 32, kF32 | 5u << 7 | 5u << 10,
             tile(Type::kE2m1, SharedMode::k128, 16), tile(Type::kE2m1, SharedMode::k128, 16)},
        Case{"i8", "kind::i8", 128, 16, 32, 2u << 4 | 1u << 7 | 1u << 10,
             tile(Type::kS8, SharedMode::kNone, 16), tile(Type::kS8, SharedMode::kNone, 16)},
        Case{"mxf8", "kind::mxf8f6f4.block_scale", 128, 32, 32, 1u << 23,
             tile(Type::kE4m3, SharedMode::k128, 16), tile(Type::kE4m3, SharedMode::k128, 16), 32},
        Case{"mxf4", "kind::mxf4.block_scale.scale_vec::2X", 128, 32, 64,
             1u << 23 | 1u << 7 | 1u << 10, tile(Type::kE2m1, SharedMode::k128, 32),
             tile(Type::kE2m1, SharedMode::k128, 32), 32},
        Case{"nvf4", "kind::mxf4nvf4.block_scale.scale_vec::4X", 128, 32, 64, 1u << 7 | 1u << 10,
             tile(Type::kE2m1, SharedMode::k128, 32), tile(Type::kE2m1, SharedMode::k128, 32), 16}),
    [](const auto& one) { return one.param.name; });

// A pair: each block holds half of A's rows and half of B's; block 0 multiplies for both. Images of
// the two blocks follow each other in p0 and p1, their results in p2.
TEST(TensorPair, MultipliesTwoBlocksRows) {
  const Case c{"pair",
               "kind::f16",
               128,
               32,
               16,
               kF32,
               tile(Type::kF16, SharedMode::k128, 8),
               tile(Type::kF16, SharedMode::k128, 8)};
  const std::string group = "cta_group::2";
  const std::string sync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  std::string body =
      copy_in(kBytes) + alloc(group) + sync + "and.pred first, first, even;\n" +
      product_of(c, group, 256) + "@first tcgen05.commit." + group +
      ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [b+8], both;\n" +
      finish(c, group);
  const auto shifted = [&](const std::string& load, const std::string& to, uint32_t bytes) {
    const std::string line = "ld.param.u64 " + load + ";\n";
    const size_t at = body.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    body.insert(at + line.size(), "mul.wide.u32 skip, rank, " + number(bytes) + ";\nadd.u64 " + to +
                                      ", " + to + ", skip;\n");
  };
  shifted("from, [p0]", "from", kBytes);
  shifted("from, [p1]", "from", kBytes);
  shifted("out, [p2]", "out", 128 * c.n * 4);
  body =
      ".reg .b32 rank; .reg .b64 skip; .reg .pred even; .reg .b16 both;\nmov.b16 both, 3;\n"
      "mov.u32 rank, %cluster_ctarank;\nsetp.eq.u32 even, rank, 0;\n" +
      body.substr(0, body.rfind("ret;")) + sync + "ret;";
  TestMachine machine(kernel_text(body, 4, "sm_100a", "8.6"));
  const SmallMatrix a(256, c.k, 1, 4), b(c.n, c.k, 2, 4);
  const auto images = [&](const SmallMatrix& whole, const TileLayout& layout) {
    std::vector<std::byte> both;
    for (uint32_t part = 0; part < 2; ++part) {
      SmallMatrix half = whole;
      half.rows /= 2;
      half.values.assign(whole.values.begin() + part * half.rows * half.k,
                         whole.values.begin() + (part + 1) * half.rows * half.k);
      const auto image = image_of(half, layout, kBytes);
      both.insert(both.end(), image.begin(), image.end());
    }
    return both;
  };
  const uint64_t pa = machine.put(images(a, c.a)), pb = machine.put(images(b, c.b)),
                 out = machine.put(std::vector<uint32_t>(256 * c.n));
  ASSERT_EQ(machine.run({.kernel = "k",
                         .grid = {2, 1, 1},
                         .block = {128, 1, 1},
                         .cluster = {2, 1, 1},
                         .params = TestMachine::pack(pa, pb, out, uint64_t{0})}),
            "");
  const auto got = machine.get<uint32_t>(out, 256 * c.n);
  for (uint32_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(std::bit_cast<float>(got[i]), static_cast<float>(product_at(a, b, i / c.n, i % c.n)))
        << i;
}

}  // namespace
}  // namespace warpledger::exec
