// The PTX that ptxas keeps in a cubin that it makes with -lineinfo: a section .nv_debug_ptx_txt, of
// lines that end with NUL, comments and .loc blanked, line numbers kept; here, sources in other
// languages are blanked, too (.nv_intermediate_source_section, cuTile's). nvlink gives each of the
// texts that it links a section of its own, .nv_debug_ptx_txt.<number>.
#pragma once

#include <string>

#include "warpledger/sass/cubin/elf.h"

namespace warpledger::sass {

/// Whether the bytes begin as a cubin does (every ELF file does).
[[nodiscard]] bool looks_like_cubin(std::string_view bytes);

/// The PTX texts in a cubin, in the order of its sections; empty when it was made without
/// -lineinfo. Fails if it is not a cubin.
[[nodiscard]] Result<std::vector<std::string>> read_ptx_texts(std::string_view cubin);

/// The one PTX text of the cubin `name`. Fails, with how to build it, when it has none or several.
[[nodiscard]] Result<std::string> read_ptx_text(const std::string& name, std::string_view cubin);

/// What to do about a cubin without PTX: the compilers' options.
inline constexpr std::string_view kKeepPtxHint =
    "compile with line information, which keeps the PTX in the cubin and does not change the code: "
    "nvcc, NVRTC and nvJitLink -lineinfo, numba @cuda.jit(lineinfo=True), CuPy "
    "options=('-lineinfo',), CuTe DSL CUTE_DSL_LINEINFO=1, tileiras --lineinfo";

}  // namespace warpledger::sass
