// exec/decode/: what both engines execute. A module placed in memory (image.h, layout.cpp), a
// launch and its limits (launch.h, tensor_map.h), the kernel and what it calls as steps (step.h,
// this file), the sites that its trace names (trace_sites.h), what its addresses depend on and
// where its warps give way to each other (slice/), and what an engine is to the rest (engine.h).
//
// The room executes nothing: it must not know the interpreter or the compiler. It knows nothing of
// caches, counters or time either.
//
// This file: a kernel and what it calls, decoded.
#pragma once

#include <deque>
#include <map>

#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/decode/step.h"
#include "warpledger/trace/trace.h"

namespace warpledger::exec::reference {

struct Program {
  const ptx::Function* kernel = nullptr;
  KernelLayout layout;
  std::deque<Variant> variants;              // by spelling of the module
  std::vector<std::unique_ptr<Code>> codes;  // the kernel first
  std::map<uint32_t, const Code*> by_function;
  trace::Sites sites;
  // Of a program whose calls were inlined (inline.h): the functions as decoded, and the
  // instructions that inlining makes. `codes` is then the kernel alone.
  std::vector<std::unique_ptr<Code>> originals;
  std::deque<Variant> made;

  /// The function that the step is an instruction of.
  [[nodiscard]] const ptx::Function& function_of(const Step& step) const;
  /// The spelling in the text: of a step that inlining has replaced, what stood there before.
  [[nodiscard]] const ptx::Spelling& spelling_of(const Step& step) const;
  /// Instructions of the kernel and of what it calls: one more than the highest Step::number.
  [[nodiscard]] uint32_t instructions() const;

  [[nodiscard]] const Code* find(uint32_t function) const {
    const auto found = by_function.find(function);
    return found == by_function.end() ? nullptr : found->second;
  }
};

/// Decodes the kernel and every function it may call. Nothing can be executed yet: Step::run is
/// whoever's who runs the program (interpreter/groups.h).
[[nodiscard]] Result<Program> decode(const Image& image, const ptx::Function& kernel);

}  // namespace warpledger::exec::reference
