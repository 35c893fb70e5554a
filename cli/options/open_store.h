// The store that commands look answers up in and keep them in.
#pragma once

#include <optional>

#include "cli/terminal/session.h"
#include "warpledger/store/store.h"

namespace warpledger::cli {

/// Nothing where it is not `enabled` or cannot be used, which is said on `session`.
[[nodiscard]] std::optional<store::Store> open_store(Session& session, bool enabled);

/// Says why an answer was not kept.
void say_not_kept(Session& session, const Diagnostic& why);

/// Says what was wrong with the remote tier, if anything was.
void say_refused(Session& session, const store::Store* store);

/// For those who take a pointer: null where there is none.
[[nodiscard]] inline store::Store* pointer_to(std::optional<store::Store>& store) {
  return store ? &*store : nullptr;
}

}  // namespace warpledger::cli
