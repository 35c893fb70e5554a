// Any bytes: a ledger or a Diagnostic; a ledger that is read writes and reads back unchanged.
#include <cstdint>
#include <string>

#include "warpledger/ledger/json.h"
#include "warpledger/ledger/table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<Ledger> ledger = ledger_from_json(Source("input", text));
  if (!ledger) return static_cast<void>(to_text(ledger.error())), 0;
  const Result<Ledger> again = ledger_from_json(Source("again", to_json(*ledger)));
  WL_CHECK(again && *again == *ledger);
  WL_CHECK(difference(*ledger, *again).is_empty());
  static_cast<void>(table_of(*ledger, {RowOrder::kByBytes, 3}));
  return 0;
}
