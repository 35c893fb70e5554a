// $WARPLEDGER_DEBUG=jit:ir,asm: what the compiler makes of each kernel, as files to read.
#pragma once

#include <string>
#include <string_view>

#include "warpledger/base/result.h"

namespace warpledger::exec::jit {

struct Dump {
  bool emitted = false;   // LLVM IR as the emitter wrote it: .emitted.ll
  bool ir = false;        // LLVM IR after the passes: .ll
  bool assembly = false;  // .s

  [[nodiscard]] bool any() const { return emitted || ir || assembly; }
};

/// What `text` asks for: "jit:" and any of emitted, ir, asm, with commas between them. Nothing when
/// it is empty; fails on any other word.
[[nodiscard]] Result<Dump> parse_dump(std::string_view text);
/// What $WARPLEDGER_DEBUG asks for.
[[nodiscard]] Result<Dump> wanted_dump();

/// Where the files of a kernel go, without their ending: in warpledger-debug/ of the working
/// folder, the kernel's name (cut at 100 letters) and the first digits of `code`, the name of its
/// code.
[[nodiscard]] std::string dump_stem(std::string_view kernel, std::string_view code);

}  // namespace warpledger::exec::jit
