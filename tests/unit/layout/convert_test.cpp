#include <gmock/gmock.h>

#include "tests/unit/layout/any_map.h"
#include "warpledger/layout/audit.h"
#include "warpledger/layout/convert/routes.h"
#include "warpledger/layout/reduce.h"
#include "warpledger/layout/resolve.h"

namespace warpledger {
namespace {

using convert::Conversion;
using convert::find_routes;
using convert::Route;
using testing::Rng;

const Route* route_named(const Conversion& conversion, const std::string& name) {
  for (const Route& route : conversion.routes) {
    if (route.name == name) return &route;
  }
  return nullptr;
}

Fragment fragment_of(const LinearMap& map) {
  Fragment fragment{.name = "written", .map = map, .element_bits = 32};
  fragment.rows = static_cast<int>(map.to().size_of("row"));
  fragment.cols = static_cast<int>(map.to().size_of("col"));
  fragment.elements = static_cast<int>(map.from().size_of("register"));
  return fragment;
}

/// A random bijective fragment of (register 2^n, lane 32) -> (row, col).
Fragment any_fragment(Rng& rng, int register_bits) {
  const Space from({{"register", 1 << register_bits}, {"lane", 32}});
  const LinearMap mixed = testing::any_bijection(rng, from);
  return fragment_of(
      reshape_outputs(mixed, Space({{"row", 16}, {"col", (1 << register_bits) * 2}})));
}

LAW(Convert, EveryRouteBetweenRandomLayoutsIsRight) {
  const int registers = static_cast<int>(rng.between(0, 3));
  const Fragment a = any_fragment(rng, registers), b = any_fragment(rng, registers);
  const auto conversion = find_routes(a, b, 32);
  ASSERT_TRUE(conversion.ok());
  ASSERT_FALSE(conversion->routes.empty());
  for (const Route& route : conversion->routes)
    EXPECT_TRUE(is_right(route, a, b, 32)) << route.name;
}

LAW(Convert, EveryRouteToAReplicatedLayoutIsRight) {
  const Space from({{"register", 4}, {"lane", 32}}), to({{"row", 16}, {"col", 8}});
  const Fragment a = fragment_of(reshape_outputs(testing::any_bijection(rng, from), to));
  const Fragment b = fragment_of(testing::any_map(rng, from, to));
  const auto conversion = find_routes(a, b, 32);
  ASSERT_TRUE(conversion.ok());
  for (const Route& route : conversion->routes)
    EXPECT_TRUE(is_right(route, a, b, 32)) << route.name;
}

LAW(Convert, EveryRouteOfNarrowElementsIsRight) {
  const int bits = rng.coin() ? 8 : 16;
  const Fragment a = any_fragment(rng, 3), b = any_fragment(rng, 3);
  const auto conversion = find_routes(a, b, bits);
  ASSERT_TRUE(conversion.ok());
  EXPECT_GE(conversion->routes.size(), 2U);
  for (const Route& route : conversion->routes) {
    EXPECT_TRUE(is_right(route, a, b, bits)) << route.name << " " << bits;
  }
}

TEST(Convert, AccumulatorIsAlreadyTheHalfOperand) {
  for (const char* a : {"wmma.m16n16k16.A.bf16", "mma.m16n8k16.A.f16"}) {
    const auto from = find_fragment("wmma.m16n16k16.C.f32", 80), to = find_fragment(a, 80);
    const auto conversion = find_routes(*from, *to, 16);
    ASSERT_TRUE(conversion.ok()) << conversion.error().message;
    EXPECT_EQ(conversion->routes[0].name, "nothing");
    EXPECT_EQ(conversion->routes[0].price.instructions, 0);
  }
}

TEST(Convert, EightBitOperandIsFreeByPermutingK) {
  const auto from = find_fragment("wmma.m16n16k16.C.s32", 80),
             to = find_fragment("mma.m16n8k16.A.s8", 80);
  const auto conversion = find_routes(*from, *to, 8);
  ASSERT_TRUE(conversion.ok());
  const Route* permutation = route_named(*conversion, "k-permutation");
  ASSERT_NE(permutation, nullptr);
  EXPECT_EQ(permutation->price.wavefronts, 0);
  for (const Route& route : conversion->routes)
    EXPECT_TRUE(is_right(route, *from, *to, 8)) << route.name;
}

TEST(Convert, TransposesHalvesByMovmatrix) {
  const auto from = resolve_fragment("movmatrix", {}), to = resolve_fragment("movmatrix.trans", {});
  const auto conversion = find_routes(*from, *to, 16);
  ASSERT_TRUE(conversion.ok());
  const Route* route = route_named(*conversion, "movmatrix");
  ASSERT_NE(route, nullptr);
  EXPECT_EQ(route->price.instructions, 1);
  EXPECT_TRUE(is_right(*route, *from, *to, 16));
}

TEST(Convert, StoresAndLoadsMatricesWhereTheyFit) {
  const auto a = find_fragment("mma.m16n8k16.A.f16", 90);
  const LinearMap turned = reorder_outputs(a->map, {"col", "row"});
  const Fragment to = fragment_of(reshape_outputs(turned, a->map.to()));
  const auto conversion = find_routes(*a, to, 16);
  ASSERT_TRUE(conversion.ok());
  ASSERT_NE(route_named(*conversion, "stmatrix, ldmatrix"), nullptr);
  EXPECT_EQ(route_named(*conversion, "stmatrix, ldmatrix")->price.wavefronts, 8);
  for (const Route& route : conversion->routes) {
    EXPECT_TRUE(is_right(route, *a, to, 16)) << route.name;
  }
}

TEST(Convert, CarriesDoublesAsPairsOfWords) {
  const auto c = find_fragment("mma.m16n8k8.C.f64", 90), a = find_fragment("mma.m16n8k8.A.f64", 90);
  const auto conversion = find_routes(*c, *a, 64);
  ASSERT_TRUE(conversion.ok());
  const Route* shuffles = route_named(*conversion, "shuffles");
  ASSERT_NE(shuffles, nullptr);
  EXPECT_TRUE(is_right(*shuffles, *c, *a, 64));
  EXPECT_EQ(shuffles->program.inputs, 8);
}

TEST(Convert, NamesWhatItCannotCarry) {
  const auto c = find_fragment("mma.m16n8k64.A.s4", 90);
  EXPECT_EQ(find_routes(*c, *c, 4).error().code, "unsupported-conversion");
}

TEST(Convert, GroupingByRowIsRenaming) {
  const Fragment from = *find_fragment("wmma.m16n16k16.C.f32", 90);
  const auto to = resolve_fragment(
      "{register: [(0,1),(0,8),(8,0)], lane: [(0,2),(0,4),(1,0),(2,0),(4,0)]} -> (row 16, col 16)",
      {});
  const auto conversion = find_routes(from, *to, 32);
  EXPECT_EQ(conversion->routes[0].name, "renaming");
  EXPECT_EQ(conversion->routes[0].price.instructions, 0);
}

double larger(double a, double b) { return a > b ? a : b; }
double sum(double a, double b) { return a + b; }

/// Every lane's outputs equal the reduction of the rows (or columns) it keeps.
void expect_reduces(const Fragment& fragment, ReduceOver over, double (*combine)(double, double)) {
  const auto reduction = synthesise_reduction(fragment, over);
  ASSERT_TRUE(reduction.ok()) << reduction.error().message;
  const auto value = [&](int row, int col) { return (row * 37 + col * 11) % 101 + row * 0.5; };
  convert::Values input(32);
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t i = 0; i < fragment.elements; ++i) {
      const auto at = fragment.map.at({i, lane});
      input[static_cast<size_t>(lane)].push_back(
          value(static_cast<int>(at[0]), static_cast<int>(at[1])));
    }
  }
  const convert::Values output = emulate_reduction(reduction->program, input, combine);
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t o = 0; o < reduction->output_rows.size(); ++o) {
      const auto kept =
          static_cast<int>(reduction->kept(lane << reduction->kept.from().bits_of(0))) ^
          reduction->output_rows[o];
      const int others = over == ReduceOver::kCol ? fragment.cols : fragment.rows;
      double expected = over == ReduceOver::kCol ? value(kept, 0) : value(0, kept);
      for (int x = 1; x < others; ++x)
        expected = combine(expected, over == ReduceOver::kCol ? value(kept, x) : value(x, kept));
      ASSERT_DOUBLE_EQ(output[lane][o], expected)
          << fragment.name << " lane " << lane << " output " << o;
    }
  }
}

TEST(Reduce, EqualsTheMatrixForEveryAccumulatorAndOperand) {
  for (const int arch : {70, 75, 80}) {
    for (const std::string& name : fragment_names(arch)) {
      if (name.starts_with("mma.m8n8k4.") && name.find("f64") == std::string::npos)
        continue;  // four products
      const auto fragment = find_fragment(name, arch);
      for (const ReduceOver over : {ReduceOver::kCol, ReduceOver::kRow}) {
        expect_reduces(*fragment, over, larger);
        expect_reduces(*fragment, over, sum);
      }
    }
  }
}

LAW(Reduce, EqualsTheMatrixForRandomLayouts) {
  const Fragment fragment = any_fragment(rng, static_cast<int>(rng.between(0, 4)));
  expect_reduces(fragment, rng.coin() ? ReduceOver::kCol : ReduceOver::kRow, sum);
}

TEST(Reduce, UsesThePublishedShuffles) {
  const auto turing =
      synthesise_reduction(*find_fragment("wmma.m16n16k16.C.f32", 90), ReduceOver::kCol);
  EXPECT_EQ(turing->lane_masks, (std::vector<int>{1, 2}));
  const auto volta =
      synthesise_reduction(*find_fragment("wmma.m16n16k16.C.f32", 70), ReduceOver::kCol);
  EXPECT_EQ(volta->lane_masks, (std::vector<int>{2, 8}));
  const auto columns =
      synthesise_reduction(*find_fragment("wmma.m16n16k16.C.f32", 90), ReduceOver::kRow);
  EXPECT_EQ(columns->lane_masks, (std::vector<int>{4, 8, 16}));
  const auto tmem =
      synthesise_reduction(*resolve_fragment("tcgen05.ld.32x32b.x8", {}), ReduceOver::kCol);
  EXPECT_TRUE(tmem->lane_masks.empty());
}

TEST(Reduce, RefusesToCrossWarps) {
  EXPECT_TRUE(synthesise_reduction(*find_fragment("wgmma.m64n64k16.C.f32"), ReduceOver::kCol).ok());
  EXPECT_FALSE(
      synthesise_reduction(*find_fragment("wgmma.m64n64k16.C.f32"), ReduceOver::kRow).ok());
}

// NVIDIA/cutlass 4.2.0: the thread stride of SM80_16x8x32_S32S4S4S32's B was 32 instead of 64
// (fixed in #3140).
TEST(Audit, FindsTheWrongStrideOfTheFourBitTrait) {
  const auto finding = audit(*find_fragment("mma.m16n8k32.B.s4"), "((4,8),8):((32,1),8)");
  ASSERT_TRUE(finding.ok());
  EXPECT_EQ(finding->differences, 192);
  EXPECT_EQ(finding->corrected, "((4,8),8):((64,1),8)");
}

// NVIDIA/cutlass 4.7.0: the A stride of SM80_16x8x128_S32U1U1S32 is nested once too deep.
TEST(Audit, FindsTheExtraNestingOfTheOneBitTrait) {
  const auto finding =
      audit(*find_fragment("mma.m16n8k128.A.b1"), "((4,8),(32,2)):((512,1),((16,8)))");
  ASSERT_FALSE(finding.ok());
  EXPECT_THAT(finding.error().message, ::testing::HasSubstr("mismatched ranks"));
  EXPECT_EQ(
      audit(*find_fragment("mma.m16n8k128.A.b1"), "((4,8),(32,2)):((512,1),(16,8))")->differences,
      0);
}

TEST(Audit, ReadsEveryNotation) {
  const Fragment c = *find_fragment("wmma.m16n16k16.C.f32", 90);
  EXPECT_EQ(audit(c, "row = lane/4 + 8*((i>>1)&1); col = 2*(lane%4) + i%2 + 8*(i>>2)")->differences,
            0);
  EXPECT_EQ(audit(c, "((4,8),(2,2,2)):((32,1),(16,8,128))")->differences, 0);
  EXPECT_GT(audit(*find_fragment("wmma.m16n16k16.C.f32", 70),
                  "row = lane/4 + 8*((i>>1)&1); col = 2*(lane%4) + i%2 + 8*(i>>2)")
                ->differences,
            0);
}

}  // namespace
}  // namespace warpledger
