// Any bytes: a gate or a Diagnostic; a gate that is read gives an answer.
#include "warpledger/ledger/gate.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<Gate> gate = parse_gate(Source("input", text));
  if (!gate) return static_cast<void>(to_text(gate.error())), 0;
  const Ledger before{.title = "x", .rows = {{"LDS", "K", {Level::kDram, Level::kSmem}, 1000}}};
  const Result<GateOutcome> outcome = check_gate(*gate, before, before);
  WL_CHECK(outcome || outcome.error().code == "unknown-counter");
  static_cast<void>(outcome ? outcome->to_text() : to_text(outcome.error()));
  const Result<Gate> again = parse_gate(Source("again", gate->text));
  WL_CHECK(again && again->metric == gate->metric && again->limit == gate->limit);
  return 0;
}
