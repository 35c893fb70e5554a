#include "warpledger/layout/linear_map.h"

#include <set>

#include "tests/unit/layout/any_map.h"
#include "warpledger/layout/elimination.h"
#include "warpledger/layout/layout.h"

namespace warpledger {
namespace {

using testing::any_bijection;
using testing::any_map;
using testing::any_space;

uint64_t points(const Space& space) { return static_cast<uint64_t>(space.size()); }

LAW(Space, UnpackUndoesPack) {
  const Space space({{"a", rng.between(1, 9)}, {"b", rng.between(1, 9)}, {"c", rng.between(1, 9)}});
  for (uint64_t x = 0; x < points(space); ++x) EXPECT_EQ(space.pack(space.unpack(x)), x);
}

LAW(LinearMap, IsLinear) {
  const LinearMap f = any_map(rng);
  const uint64_t x = rng.bits() % points(f.from()), y = rng.bits() % points(f.from());
  EXPECT_EQ(f(x ^ y), f(x) ^ f(y));
}

LAW(Compose, IsFunctionComposition) {
  const LinearMap g = any_map(rng);
  const LinearMap f = any_map(rng, g.to(), any_space(rng, {"offset"}));
  const LinearMap h = *compose(f, g);
  for (uint64_t x = 0; x < points(g.from()); ++x) EXPECT_EQ(h(x), f(g(x)));
}

LAW(Compose, IsAssociativeWithIdentity) {
  const LinearMap g = any_map(rng);
  const LinearMap f = any_map(rng, g.to(), any_space(rng, {"offset"}));
  const LinearMap e = any_map(rng, f.to(), any_space(rng, {"bank"}));
  EXPECT_EQ(*compose(e, *compose(f, g)), *compose(*compose(e, f), g));
  EXPECT_EQ(*compose(f, identity(f.from())), f);
  EXPECT_EQ(*compose(identity(f.to()), f), f);
}

LAW(Inverse, UndoesABijection) {
  const LinearMap f = any_bijection(rng, any_space(rng, {"register", "lane"}));
  EXPECT_EQ(*compose(*inverse(f), f), identity(f.from()));
  EXPECT_EQ(*compose(f, *inverse(f)), identity(f.to()));
}

LAW(PseudoInverse, ReproducesTheImage) {
  const LinearMap f = any_map(rng);
  const LinearMap g = pseudo_inverse(f);
  for (uint64_t x = 0; x < points(f.from()); ++x) EXPECT_EQ(f(g(f(x))), f(x));
}

LAW(Solve, AnswersWithTheSameElement) {
  const LinearMap g = any_map(rng);
  const LinearMap f = *compose(g, any_map(rng, any_space(rng, {"thread"}), g.from()));
  const LinearMap h = *solve(g, f);
  for (uint64_t x = 0; x < points(f.from()); ++x) EXPECT_EQ(g(h(x)), f(x));
}

TEST(Solve, RefusesAnElementThatIsAbsent) {
  const Space one({{"lane", 2}}), row({{"row", 4}});
  EXPECT_FALSE(solve(LinearMap(one, row, {1}), LinearMap(one, row, {2})).ok());
}

LAW(Product, AgreesWithBothFactors) {
  const LinearMap f = any_map(rng), g = any_map(rng);
  const LinearMap p = product(f, g);
  EXPECT_EQ(p.from().size(), f.from().size() * g.from().size());
  for (uint64_t x = 0; x < points(f.from()); ++x) {
    const std::vector<int64_t> at = f.from().unpack(x);
    EXPECT_EQ(p.at(at), f.at(at));
  }
  for (uint64_t y = 0; y < points(g.from()); ++y) {
    std::vector<int64_t> in = g.from().unpack(y), out = g.at(in);
    for (size_t d = 0; d < in.size(); ++d) in[d] *= f.from().dims()[d].size;
    for (size_t d = 0; d < out.size(); ++d) out[d] *= f.to().dims()[d].size;
    EXPECT_EQ(p.at(in), out);
  }
}

LAW(Divide, UndoesProduct) {
  const LinearMap f = any_map(rng), g = any_map(rng);
  const auto rest = divide(product(f, g), f);
  ASSERT_TRUE(rest.has_value());
  EXPECT_EQ(product(f, *rest), product(f, g));
}

LAW(Divide, AnswersOnlyWithAFactor) {
  const LinearMap p = any_map(rng), f = any_map(rng);
  const auto rest = divide(p, f);
  EXPECT_TRUE(!rest || product(f, *rest) == p);
}

LAW(Quotient, DropsAnIdentityDimension) {
  const Space warp({{"warp", 4}});
  const Space space = any_space(rng, {"register", "lane"});
  const LinearMap f = any_map(rng, space, space);
  const auto rest = quotient(product(f, identity(warp)), "warp");
  ASSERT_TRUE(rest.has_value());
  EXPECT_EQ(*rest, f);
}

TEST(Quotient, KeepsADimensionThatMixes) {
  const Space space({{"register", 2}, {"lane", 2}});
  EXPECT_FALSE(quotient(LinearMap(space, space, {3, 2}), "lane").has_value());
  EXPECT_FALSE(quotient(LinearMap(space, space, {1, 3}), "lane").has_value());
}

LAW(Kernel, TogetherWithImageCountsTheInputs) {
  const LinearMap f = any_map(rng);
  for (const uint64_t x : kernel(f)) EXPECT_EQ(f(x), 0U);
  EXPECT_EQ(rank_of(kernel(f)), static_cast<int>(kernel(f).size()));
  EXPECT_EQ(static_cast<int>(kernel(f).size() + image(f).size()), f.from().bits());
}

LAW(Rank, CountsDistinctImages) {
  const LinearMap f = any_map(rng);
  std::set<uint64_t> seen;
  for (uint64_t x = 0; x < points(f.from()); ++x) seen.insert(f(x));
  EXPECT_EQ(seen.size(), size_t{1} << f.rank());
}

LAW(Restrict, FixesTheOtherInputsAtZero) {
  const LinearMap f = any_map(rng);
  const LinearMap lanes = restrict_inputs(f, {"lane"});
  for (int64_t lane = 0; lane < lanes.from().size(); ++lane) {
    EXPECT_EQ(lanes.at({lane}), f.at({0, lane, 0}));
  }
}

LAW(Project, KeepsTheNamedCoordinates) {
  const LinearMap f = any_map(rng);
  const LinearMap turned = reorder_outputs(f, {"col", "row"});
  for (uint64_t x = 0; x < points(f.from()); ++x) {
    const std::vector<int64_t> a = f.to().unpack(f(x)), b = turned.to().unpack(turned(x));
    EXPECT_EQ(a[0], b[1]);
    EXPECT_EQ(a[1], b[0]);
  }
}

LAW(Fit, FindsTheMapOfATable) {
  const LinearMap f = any_map(rng);
  const uint64_t offset = rng.bits() % points(f.to());
  std::vector<uint64_t> values;
  for (uint64_t x = 0; x < points(f.from()); ++x) values.push_back(f(x) ^ offset);
  const Fit found = fit(Layout(f.from(), f.to(), values));
  ASSERT_TRUE(found.map.has_value());
  EXPECT_EQ(*found.map, f);
  EXPECT_EQ(found.offset, offset);
}

LAW(Fit, NamesAWitnessThatItIsNotLinear) {
  const Space from({{"register", 4}, {"lane", 8}}), to({{"offset", 64}});
  const LinearMap f = any_map(rng, from, to);
  std::vector<uint64_t> values;
  for (uint64_t x = 0; x < points(from); ++x) values.push_back(f(x));
  const uint64_t odd = static_cast<uint64_t>(rng.between(0, 31));
  values[odd] ^= 1;
  const Layout broken(from, to, values);
  const Fit found = fit(broken);
  ASSERT_TRUE(found.witness.has_value());
  const auto [x, y] = *found.witness;
  EXPECT_NE(broken(x) ^ broken(y) ^ broken(x ^ y) ^ broken(0), 0U);
}

TEST(Layout, AnswersPaddedLayoutsByEnumeration) {
  const Space from({{"row", 4}, {"col", 6}}), to({{"offset", 28}});
  const Layout padded = Layout::tabulate(from, to, [](const std::vector<int64_t>& at) {
    return std::vector<int64_t>{at[0] * 7 + at[1]};
  });
  EXPECT_TRUE(padded.is_injective());
  EXPECT_EQ(padded.at({3, 5}), std::vector<int64_t>{26});
  EXPECT_EQ(padded.holders(26), std::vector<uint64_t>{from.pack({3, 5})});
  EXPECT_FALSE(require_linear(padded).ok());
}

}  // namespace
}  // namespace warpledger
