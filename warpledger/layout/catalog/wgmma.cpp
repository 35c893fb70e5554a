// wgmma: PTX ISA 9.1, section 9.7.15.5. Four warps; accumulators of m64nN, and A from registers.
#include <bit>

#include "warpledger/layout/catalog/rules.h"

namespace warpledger::catalog {
namespace {

using enum Element;

/// K is 256 bits for every type.
int depth_of(Element element) { return 256 / bits_of(element); }

bool is_integer(Element element) {
  return element == kS8 || element == kU8 || element == kB1 || element == kS32;
}

bool has_width(int n, bool integer) {
  if (n % 8 != 0 || n < 8 || n > 256) return false;
  return !integer || n <= 24 || n % 16 == 0;
}

bool exists(const FragmentKey& key) {
  if (key.shape.m != 64) return false;
  const Element e = key.element;
  const int k = key.shape.k;
  if (key.operand == Operand::kC) {
    const bool depth = e == kS32   ? k == 32 || k == 256
                       : e == kF16 ? k == 16 || k == 32
                                   : e == kF32 && (k == 8 || k == 16 || k == 32);
    return depth && has_width(key.shape.n, e == kS32);
  }
  const bool type = e == kF16 || e == kBf16 || e == kTf32 || e == kE4m3 || e == kE5m2 || e == kS8 ||
                    e == kU8 || e == kB1;
  return key.operand == Operand::kA && type && k == depth_of(e) &&
         has_width(key.shape.n, is_integer(e));
}

/// Warp w holds rows 16w.. of the warpgroup's 64.
LinearMap over_warps(const LinearMap& warp_map) {
  return product(warp_map, LinearMap(Space({{"warp", 4}}), Space({{"row", 4}}), {1, 2}));
}

}  // namespace

Result<Fragment> find_wgmma(const FragmentKey& key) {
  if (!exists(key)) {
    Diagnostic unknown = unknown_fragment(key, wgmma_keys(90));
    if (key.operand == Operand::kB) unknown.hint = "wgmma reads B from shared memory only";
    return unknown;
  }
  if (key.arch < 90 || key.arch >= 100) {
    return Diagnostic{.message = "wgmma exists on sm_90a only", .code = "fragment-needs-arch"};
  }
  const bool is_a = key.operand == Operand::kA;
  const int e = std::max(1, 32 / bits_of(key.element));
  const int n = static_cast<int>(std::bit_ceil(static_cast<unsigned>(key.shape.n)));
  const LinearMap warp = is_a ? map_of(multiplicand_a(16, key.shape.k, e), 16, key.shape.k)
                              : map_of(accumulator(16, n), 16, n);
  const int cols = is_a ? key.shape.k : key.shape.n;
  return Fragment{.name = name_of(key),
                  .map = over_warps(warp),
                  .rows = 64,
                  .cols = cols,
                  .elements = cols / 2,
                  .element_bits = bits_of(key.element),
                  .first_arch = 90,
                  .source = "PTX ISA 9.1, 9.7.15.5"};
}

std::vector<FragmentKey> wgmma_keys(int arch) {
  std::vector<FragmentKey> keys;
  if (arch != 90) return keys;
  for (const int n : {8, 16, 32, 64, 128, 256}) {
    for (const Element e : {kF16, kBf16, kTf32, kE4m3, kE5m2, kS8, kU8, kB1}) {
      keys.push_back({Family::kWgmma, {64, n, depth_of(e)}, Operand::kA, e, false, 90});
    }
    for (const Element e : {kF16, kF32, kS32}) {
      for (const int k : {8, 16, 32, 256}) {
        const FragmentKey key{Family::kWgmma, {64, n, k}, Operand::kC, e, false, 90};
        if (exists(key)) keys.push_back(key);
      }
    }
  }
  return keys;
}

}  // namespace warpledger::catalog
