// A Fragment is how one operand of a matrix instruction lies in the registers of a warp or
// warpgroup: a linear map (register, lane[, warp]) -> (row, col). `register` counts elements of one
// thread, in the order of the instruction's operand list; `row` and `col` are those of the operand
// matrix itself: A is M x K, B is K x N, C is M x N.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/fidelity.h"
#include "warpledger/base/result.h"
#include "warpledger/layout/layout.h"

namespace warpledger {

enum class Family { kMma, kWmma, kWgmma };
enum class Operand { kA, kB, kC };
enum class Element {
  kB1,
  kS4,
  kU4,
  kE2m1,
  kS8,
  kU8,
  kE4m3,
  kE5m2,
  kE3m2,
  kE2m3,
  kF16,
  kBf16,
  kTf32,
  kF32,
  kS32,
  kF64
};

/// How wide an element lies in a register: tf32 takes 32 bits.
[[nodiscard]] int bits_of(Element element);
[[nodiscard]] std::string_view to_text(Element element);
[[nodiscard]] std::optional<Element> parse_element(std::string_view word);
[[nodiscard]] char to_letter(Operand operand);

struct MatrixShape {
  int m = 0, n = 0, k = 0;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};
/// "m16n8k16".
[[nodiscard]] std::string to_text(const MatrixShape& shape);
[[nodiscard]] std::optional<MatrixShape> parse_shape(std::string_view word);

/// Which fragment is asked for. The memory order of the operand matters to mma.m8n8k4.f16 and to
/// wmma on sm_70 alone.
struct FragmentKey {
  Family family = Family::kMma;
  MatrixShape shape = {};
  Operand operand = Operand::kC;
  Element element = Element::kF32;
  bool column_major = false;
  int arch = 80;  // compute capability times ten: sm_90a is 90
};

struct Fragment {
  std::string name;  // "wmma.m16n16k16.C.f32"
  LinearMap map;     // registers padded to a power of two
  int rows = 0;      // of the operand matrix; may be less than the map's
  int cols = 0;
  int elements = 0;  // per thread; at most the map's register size
  int element_bits = 0;
  int first_arch = 0;  // 90 for sm_90 and later
  std::string source;  // where the map is known from
  Fidelity fidelity = Fidelity::kPublished;

  /// 32-bit registers of one thread.
  [[nodiscard]] int registers() const { return std::max(1, elements * element_bits / 32); }
  [[nodiscard]] int threads() const {
    return static_cast<int>(map.from().size_of("lane") * map.from().size_of("warp"));
  }
};

/// The map of one operand. Fails, naming what exists, when the instruction has no such form or the
/// architecture no such instruction. Takes about a microsecond: ask once per instruction.
[[nodiscard]] Result<Fragment> find_fragment(const FragmentKey& key);

/// The same by name: "wmma.m16n16k16.C.f32", "mma.m16n8k16.A.f16", "wgmma.m64n128k16.C.f32",
/// with ".row" or ".col" where the memory order matters. `arch` 0 takes the fragment's first, or
/// sm_80 for wmma.
[[nodiscard]] Result<Fragment> find_fragment(std::string_view name, int arch = 0);
[[nodiscard]] Result<FragmentKey> parse_fragment_name(std::string_view name);
[[nodiscard]] std::string name_of(const FragmentKey& key);

/// "sm_90a", "sm_90" or "90" -> 90.
[[nodiscard]] Result<int> parse_arch(std::string_view word);

/// Row and column of every element of every thread, flat: entry thread * elements + i. What an
/// interpreter of the instruction walks.
struct ElementPlace {
  int16_t row = 0;
  int16_t col = 0;
};
[[nodiscard]] std::vector<ElementPlace> element_places(const Fragment& fragment);

/// Every shape, operand and type of the catalog for one architecture, by name.
[[nodiscard]] std::vector<std::string> fragment_names(int arch);

}  // namespace warpledger
