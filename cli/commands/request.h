// A profile or an explanation asked in one line of JSON and answered in one: what `profile --batch`
// and `serve` share (docs/scale.md).
#pragma once

#include <string>

#include "warpledger/base/diagnostic.h"
#include "warpledger/store/store.h"

namespace warpledger::cli {

struct RequestLimits {
  double seconds = 120;  // of one request; a request may ask for fewer
  bool isolate = false;  // kernels run in a cell: no other thread may answer then
};

/// Always one line of JSON without its end: an answer, or {"error": ...}. For several threads.
/// `store`: null: nothing is looked up or kept.
[[nodiscard]] std::string answer_request(const std::string& line, store::Store* store,
                                         const RequestLimits& limits);

/// {"error": ...} for who cannot read a request.
[[nodiscard]] std::string refusal_line(const Diagnostic& diagnostic);

}  // namespace warpledger::cli
