// A kernel and what it calls, decoded.
#pragma once

#include <deque>
#include <map>

#include "warpledger/exec/image.h"
#include "warpledger/exec/reference/step.h"
#include "warpledger/trace/trace.h"

namespace warpledger::exec::reference {

struct Program {
  const ptx::Function* kernel = nullptr;
  KernelLayout layout;
  std::deque<Variant> variants;              // by spelling of the module
  std::vector<std::unique_ptr<Code>> codes;  // the kernel first
  std::map<uint32_t, const Code*> by_function;
  trace::Sites sites;

  [[nodiscard]] const Code* find(uint32_t function) const {
    const auto found = by_function.find(function);
    return found == by_function.end() ? nullptr : found->second;
  }
};

/// Decodes the kernel and every function it may call.
[[nodiscard]] Result<Program> decode(const Image& image, const ptx::Function& kernel);

/// What executes a spelling; null when it is not run.
[[nodiscard]] Execute select(const ptx::Spelling& spelling);

}  // namespace warpledger::exec::reference
