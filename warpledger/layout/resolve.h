// One text, any layout: a name of the catalog or one of the three notations.
#pragma once

#include <string>

#include "warpledger/layout/catalog/fragment.h"

namespace warpledger {

/// What the text may leave open.
struct ResolveOptions {
  int arch = 0;  // 0: the fragment's usual one
  int rows = 0;  // of the tensor, for CuTe offsets and formulas
  int cols = 0;
  int elements = 0;  // per lane, for formulas
};

/// Names first ("wmma.m16n16k16.C.f32", "ldmatrix.x4.trans", "tcgen05.ld.16x256b.x2"), then bases,
/// CuTe (thread, value) layouts of rows x cols in column-major order, and formulas on lane and i.
/// A written layout need not be linear.
[[nodiscard]] Result<Layout> resolve_layout(const std::string& text, const ResolveOptions& options);

/// The same where a question needs a linear map; the name is the text itself for written layouts.
[[nodiscard]] Result<Fragment> resolve_fragment(const std::string& text,
                                                const ResolveOptions& options);

}  // namespace warpledger
