#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/layout/catalog/fragment.h"
#include "warpledger/layout/catalog/matrix_moves.h"
#include "warpledger/layout/notation/notation.h"

namespace warpledger {
namespace {

/// "a_m16n16k16_row_f16" -> wmma.m16n16k16.A.f16
FragmentKey key_of(const std::string& name, int arch) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('_', at), name.size());
    words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  const Operand operand = words[0] == "a"   ? Operand::kA
                          : words[0] == "b" ? Operand::kB
                                            : Operand::kC;
  return {Family::kWmma,     *parse_shape(words[1]),
          operand,           *parse_element(words[3]),
          words[2] == "col", arch};
}

std::vector<uint64_t> packed(const nlohmann::json& vectors, const Space& to) {
  std::vector<uint64_t> bases;
  for (const auto& v : vectors) bases.push_back(to.pack({v[0].get<int>(), v[1].get<int>()}));
  return bases;
}

TEST(Wmma, EqualsEveryLayoutReadFromTheCompiler) {
  const auto text = read_file(test::source_path("tests/inputs/layout/wmma_bases.json"));
  ASSERT_TRUE(text.ok());
  int layouts = 0, cases = 0;
  const auto recorded = nlohmann::json::parse(*text);
  for (const auto& [name, groups] : recorded.items()) {
    ++layouts;
    for (const auto& group : groups) {
      for (const auto& arch : group["archs"]) {
        const auto fragment = find_fragment(key_of(name, *parse_arch(arch.get<std::string>())));
        ASSERT_TRUE(fragment.ok()) << name;
        EXPECT_EQ(fragment->map.bases_of("register"), packed(group["reg"], fragment->map.to()))
            << name << " " << arch;
        EXPECT_EQ(fragment->map.bases_of("lane"), packed(group["lane"], fragment->map.to()))
            << name << " " << arch;
        ++cases;
      }
    }
  }
  EXPECT_EQ(layouts, 66);
  EXPECT_EQ(cases, 528);
}

struct Atom {
  std::string fragment;
  std::string cute;  // (thread, value) -> column-major element, as CuTe's traits publish it
};

/// A CuTe thread-value layout of an M x K or M x N operand; B is stored there as N x K.
Result<Layout> cute_atom(const std::string& text, const Fragment& fragment) {
  const bool is_b = fragment.name.find(".B.") != std::string::npos;
  const Space to = is_b ? Space({{"col", fragment.cols}, {"row", fragment.rows}})
                        : Space({{"row", fragment.rows}, {"col", fragment.cols}});
  return notation::read(Source("atom", text), {.modes = {"lane", "register"}, .to = to});
}

class CuteAtom : public ::testing::TestWithParam<Atom> {};

TEST_P(CuteAtom, EqualsTheCatalog) {
  const auto fragment = find_fragment(GetParam().fragment);
  ASSERT_TRUE(fragment.ok()) << fragment.error().message;
  const auto atom = cute_atom(GetParam().cute, *fragment);
  ASSERT_TRUE(atom.ok()) << atom.error().message;
  const int64_t lanes = fragment->map.from().size_of("lane");
  for (int64_t thread = 0; thread < fragment->threads(); ++thread) {
    for (int64_t i = 0; i < fragment->elements; ++i) {
      std::vector<int64_t> at = {i, thread % lanes};
      if (fragment->map.from().dims().size() == 3) at.push_back(thread / lanes);
      std::vector<int64_t> ours = fragment->map.at(at);
      if (atom->to().dims()[0].name == "col") std::swap(ours[0], ours[1]);
      ASSERT_EQ(atom->at({thread, i}), ours) << "thread " << thread << " element " << i;
    }
  }
}

// Shapes and strides as read in NVIDIA/cutlass 7107b05 (4.7.0), include/cute/atom: s8, s4, b1, f16,
// bf16, tf32 and f64 m8n8k4 in mma_traits_sm80.hpp (f16 m16n8k8 also in sm75), e4m3 in sm89, f64
// m16n8 in sm90, wgmma in sm90_gmma (CLayout_64xN, ALayout_64x8, _64x16, _64x32).
INSTANTIATE_TEST_SUITE_P(
    Cutlass, CuteAtom,
    ::testing::Values(Atom{"mma.m16n8k8.A.f16", "((4,8),(2,2)):((32,1),(16,8))"},
                      Atom{"mma.m16n8k8.B.f16", "((4,8),2):((16,1),8)"},
                      Atom{"mma.m16n8k8.C.f32", "((4,8),(2,2)):((32,1),(16,8))"},
                      Atom{"mma.m16n8k16.A.f16", "((4,8),(2,2,2)):((32,1),(16,8,128))"},
                      Atom{"mma.m16n8k16.B.bf16", "((4,8),(2,2)):((16,1),(8,64))"},
                      Atom{"mma.m16n8k4.A.tf32", "((4,8),2):((16,1),8)"},
                      Atom{"mma.m16n8k4.B.tf32", "((4,8),1):((8,1),0)"},
                      Atom{"mma.m16n8k8.A.tf32", "((4,8),(2,2)):((16,1),(8,64))"},
                      Atom{"mma.m16n8k8.B.tf32", "((4,8),2):((8,1),32)"},
                      Atom{"mma.m8n8k4.A.f64", "((4,8),1):((8,1),0)"},
                      Atom{"mma.m8n8k4.C.f64", "((4,8),2):((16,1),8)"},
                      Atom{"mma.m16n8k8.A.f64", "((4,8),(2,2)):((16,1),(8,64))"},
                      Atom{"mma.m16n8k16.A.f64", "((4,8),(2,4)):((16,1),(8,64))"},
                      Atom{"mma.m8n8k16.A.s8", "((4,8),4):((32,1),8)"},
                      Atom{"mma.m16n8k16.A.s8", "((4,8),(4,2)):((64,1),(16,8))"},
                      Atom{"mma.m16n8k32.A.s8", "((4,8),(4,2,2)):((64,1),(16,8,256))"},
                      Atom{"mma.m16n8k32.B.e4m3", "((4,8),(4,2)):((32,1),(8,128))"},
                      Atom{"mma.m16n8k64.A.s4", "((4,8),(8,2,2)):((128,1),(16,8,512))"},
                      Atom{"mma.m16n8k256.A.b1", "((4,8),(32,2,2)):((512,1),(16,8,2048))"},
                      Atom{"mma.m16n8k256.B.b1", "((4,8),(32,2)):((256,1),(8,1024))"},
                      Atom{"mma.m8n8k128.A.b1", "((4,8),32):((256,1),8)"},
                      Atom{"wgmma.m64n8k16.C.f32", "((4,8,4),(2,2,1)):((128,1,16),(64,8,512))"},
                      Atom{"wgmma.m64n32k16.C.f32", "((4,8,4),(2,2,4)):((128,1,16),(64,8,512))"},
                      Atom{"wgmma.m64n96k16.C.f32", "((4,8,4),(2,2,12)):((128,1,16),(64,8,512))"},
                      Atom{"wgmma.m64n256k16.C.f32", "((4,8,4),(2,2,32)):((128,1,16),(64,8,512))"},
                      Atom{"wgmma.m64n64k16.A.f16", "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"},
                      Atom{"wgmma.m64n64k8.A.tf32", "((4,8,4),(2,2)):((64,1,16),(8,256))"},
                      Atom{"wgmma.m64n64k32.A.s8", "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))"}));

struct MoveAtom {
  std::string move;
  std::string cute;  // (thread, bit of the value) -> bit, rows one after another
  Space to;
};
class CuteMove : public ::testing::TestWithParam<MoveAtom> {};

TEST_P(CuteMove, EqualsTheCatalog) {
  const auto move = find_matrix_move(GetParam().move);
  ASSERT_TRUE(move.ok()) << move.error().message;
  const auto atom = notation::read(Source("atom", GetParam().cute),
                                   {.modes = {"lane", "register"}, .to = GetParam().to});
  ASSERT_TRUE(atom.ok()) << atom.error().message;
  const int64_t width = move->element_bits;
  ASSERT_EQ(atom->to().size_of("bit"), width);
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t bit = 0; bit < width * move->map.from().size_of("register"); ++bit) {
      std::vector<int64_t> ours = move->map.at({bit / width, lane});
      // CuTe counts the bits of a row first; our first coordinate is the row.
      std::swap(ours[0], ours[1]);
      ours.insert(ours.begin(), bit % width);
      ASSERT_EQ(atom->at({lane, bit}), ours) << "lane " << lane << " bit " << bit;
    }
  }
}

Space matrices(int count) {
  return Space({{"bit", 16}, {"col", 8}, {"row", 8}, {"matrix", count}});
}
Space window(int rows, int columns) {
  return Space({{"bit", 32}, {"col", columns}, {"row", rows}});
}

// The DstLayout of each, as read in NVIDIA/cutlass 7107b05 (4.7.0), include/cute/atom: ldmatrix in
// copy_traits_sm75.hpp (SM75_U32xN_LDSM_N, SM75_U16xN_LDSM_T), tcgen05.ld in copy_traits_sm100.hpp
// (SM100_TMEM_LOAD_16dp64bNx and so on), whose ValID puts the columns of a row before the rows.
// stmatrix's SrcLayout there (copy_traits_sm90.hpp) is ldmatrix's DstLayout.
INSTANTIATE_TEST_SUITE_P(
    Cutlass, CuteMove,
    ::testing::Values(
        MoveAtom{"ldmatrix.x1", "(32,32):(32,1)", matrices(1)},
        MoveAtom{"ldmatrix.x2", "(32,(32,2)):(32,(1,1024))", matrices(2)},
        MoveAtom{"ldmatrix.x4", "(32,(32,4)):(32,(1,1024))", matrices(4)},
        MoveAtom{"ldmatrix.x1.trans", "((4,8),(16,2)):((256,16),(1,128))", matrices(1)},
        MoveAtom{"ldmatrix.x2.trans", "((4,8),(16,2,2)):((256,16),(1,128,1024))", matrices(2)},
        MoveAtom{"ldmatrix.x4.trans", "((4,8),(16,2,4)):((256,16),(1,128,1024))", matrices(4)},
        MoveAtom{"tcgen05.ld.32x32b.x1", "(32,32):(32,1)", window(32, 1)},
        MoveAtom{"tcgen05.ld.32x32b.x8", "(32,256):(256,1)", window(32, 8)},
        MoveAtom{"tcgen05.ld.32x32b.x128", "(32,4096):(4096,1)", window(32, 128)},
        MoveAtom{"tcgen05.ld.16x64b.x1", "((2,2,8),32):((512,32,64),1)", window(16, 2)},
        MoveAtom{"tcgen05.ld.16x64b.x4", "((2,2,8),(32,4)):((2048,32,256),(1,64))", window(16, 8)},
        MoveAtom{"tcgen05.ld.16x64b.x128", "((2,2,8),(32,128)):((65536,32,8192),(1,64))",
                 window(16, 256)},
        MoveAtom{"tcgen05.ld.16x128b.x1", "((4,8),(32,2)):((32,128),(1,1024))", window(16, 4)},
        MoveAtom{"tcgen05.ld.16x128b.x2", "((4,8),(32,2,2)):((32,256),(1,2048,128))",
                 window(16, 8)},
        MoveAtom{"tcgen05.ld.16x128b.x64", "((4,8),(32,2,64)):((32,8192),(1,65536,128))",
                 window(16, 256)},
        MoveAtom{"tcgen05.ld.16x256b.x1", "((4,8),(64,2)):((64,256),(1,2048))", window(16, 8)},
        MoveAtom{"tcgen05.ld.16x256b.x2", "((4,8),(64,2,2)):((64,512),(1,4096,256))",
                 window(16, 16)},
        MoveAtom{"tcgen05.ld.16x256b.x32", "((4,8),(64,2,32)):((64,8192),(1,65536,256))",
                 window(16, 256)}));

TEST(Stmatrix, TakesTheFragmentThatLdmatrixGives) {
  for (const std::string form : {"x1", "x2", "x4", "x1.trans", "x2.trans", "x4.trans"}) {
    EXPECT_EQ(find_matrix_move("stmatrix." + form)->map, find_matrix_move("ldmatrix." + form)->map);
  }
}

TEST(Mma, QuadPairAccumulatorFollowsThePtxFormula) {
  const auto c = find_fragment("mma.m8n8k4.C.f32");
  ASSERT_TRUE(c.ok());
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) {
      const int h = lane >> 4;
      EXPECT_EQ(c->map.at({i, lane}),
                (std::vector<int64_t>{(lane & 1) + (i & 2) + 4 * h, (i & 4) + (lane & 2) + (i & 1),
                                      lane >> 2 & 3}));
    }
  }
}

struct QuadPairAtom {
  Operand operand;
  Element element;
  bool column_major;
  std::string cute;  // (thread of eight, value), as in mma_traits_sm70.hpp of the same commit
};

TEST(Mma, QuadPairsEqualCute) {
  const std::string row = "(8,4):(1,8)", column = "((4,2),4):((8,4),1)";
  const std::vector<QuadPairAtom> atoms = {
      {Operand::kA, Element::kF16, false, row},
      {Operand::kA, Element::kF16, true, column},
      {Operand::kB, Element::kF16, false, column},
      {Operand::kB, Element::kF16, true, row},
      {Operand::kC, Element::kF16, false, "(8,8):(1,8)"},
      {Operand::kC, Element::kF32, false, "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))"}};
  for (const QuadPairAtom& each : atoms) {
    const auto fragment =
        find_fragment({Family::kMma, {8, 8, 4}, each.operand, each.element, each.column_major, 70});
    ASSERT_TRUE(fragment.ok()) << fragment.error().message;
    const auto atom = cute_atom(each.cute, *fragment);
    ASSERT_TRUE(atom.ok()) << atom.error().message;
    for (int64_t lane = 0; lane < 32; ++lane) {
      const int64_t thread = lane % 4 + 4 * (lane / 16);  // SM70_QuadPair, (4,2):(1,16)
      for (int64_t i = 0; i < fragment->elements; ++i) {
        std::vector<int64_t> ours = fragment->map.at({i, lane});
        if (each.operand == Operand::kB) std::swap(ours[0], ours[1]);
        ours.resize(2);
        EXPECT_EQ(atom->at({thread, i}), ours) << fragment->name << " lane " << lane;
      }
    }
  }
}

TEST(Catalog, EveryFragmentHoldsEveryElementOfItsMatrix) {
  for (const int arch : {70, 75, 80, 86, 89, 90, 100, 103, 120}) {
    for (const std::string& name : fragment_names(arch)) {
      const auto fragment = find_fragment(name, arch);
      ASSERT_TRUE(fragment.ok()) << name;
      EXPECT_TRUE(fragment->map.is_surjective()) << name;
      EXPECT_GE(fragment->elements * fragment->threads(), fragment->rows * fragment->cols) << name;
    }
  }
}

TEST(Catalog, NamesWhatExistsWhenAskedForWhatDoesNot) {
  const auto none = find_fragment("mma.m16n8k16.A.f32");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().hint, ::testing::HasSubstr("mma.m16n8k16.A.f16"));
  EXPECT_FALSE(find_fragment("wgmma.m64n8k16.B.f16").ok());
  EXPECT_EQ(find_fragment("mma.m16n8k16.A.f16", 75).error().code, "fragment-needs-arch");
}

TEST(Catalog, AnswersInMicroseconds) {
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kQuestions = 1000;
  for (int q = 0; q < kQuestions; ++q) {
    ASSERT_TRUE(find_fragment({Family::kMma, {16, 8, 16}, Operand::kA, Element::kF16}).ok());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count() / kQuestions, 1e-4);
}

TEST(ElementPlaces, AreTheMapOfEveryThread) {
  const auto c = find_fragment("wgmma.m64n24k16.C.f32");
  ASSERT_TRUE(c.ok());
  const std::vector<ElementPlace> places = element_places(*c);
  ASSERT_EQ(places.size(), 128U * 12U);
  for (int thread = 0; thread < 128; ++thread) {
    for (int i = 0; i < 12; ++i) {
      const ElementPlace at = places[static_cast<size_t>(thread * 12 + i)];
      EXPECT_EQ(at.row, 16 * (thread / 32) + thread % 32 / 4 + 8 * (i >> 1 & 1));
      EXPECT_EQ(at.col, 8 * (i >> 2) + 2 * (thread % 4) + i % 2);
    }
  }
}

TEST(Placement, FollowsThePtxTable) {
  const LinearMap e = *accumulator_placement('E', 256);
  EXPECT_EQ(e.at({63, 128}), (std::vector<int64_t>{127, 0}));
  const LinearMap f = *accumulator_placement('F', 64);
  EXPECT_EQ(f.at({17, 5}), (std::vector<int64_t>{33, 5}));
  const LinearMap g = *accumulator_placement('G', 128);
  EXPECT_EQ(g.at({3, 3 * 32 + 7}), (std::vector<int64_t>{99, 7}));
  for (const char letter : {'A', 'B', 'C', 'D', 'E', 'F', 'G'}) {
    EXPECT_TRUE(accumulator_placement(letter, 64)->is_injective()) << letter;
  }
}

}  // namespace
}  // namespace warpledger
