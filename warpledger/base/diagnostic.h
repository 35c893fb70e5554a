// A Diagnostic says what is wrong with somebody's input, where, and what to do about it.
//
//   k.ptx:41:9: error: unsupported opcode 'wgmma.mma_async' [unsupported-opcode]
//       wgmma.mma_async.sync ...
//       ^~~~~~~~~~~~~~~
//   hint: see docs/ptx-support.md
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/base/source.h"

namespace warpledger {

/// What a refusal leaves open: which other attempt at the same work may succeed. Nobody decides by
/// `code`; see run_with_fallback() in base/fallback.h.
enum class Fallback {
  kNone,         // nothing: the input is at fault, or nobody knows better
  kInterpreter,  // the interpreter runs it; compiled code does not
  kValues,       // a run that computes values; this one computed addresses only
  kMoreSteps,    // a larger limit of instructions
  kMoreTime,     // a later deadline
};

struct Diagnostic {
  std::string message;                // one sentence, lower case, no full stop
  std::string hint = {};              // what to do; empty when there is nothing to say
  std::string code = {};              // kebab-case name of the kind of fault, e.g. "unknown-gpu"
  std::optional<Location> at = {};    // absent when the fault is not in a text
  std::vector<Diagnostic> also = {};  // further faults found in the same input
  Fallback fallback = Fallback::kNone;
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// The text shown above, with a newline at the end; at most 20 faults, the rest counted.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic);

/// "did you mean 'x'?" for the candidate nearest to `name`, or "" when none is near
/// (edit distance at most a third of the longer word, at least 1).
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string>& candidates);

/// The number of single-character insertions, deletions, replacements and swaps of neighbors
/// that turn `a` into `b`.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

}  // namespace warpledger
