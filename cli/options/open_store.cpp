#include "cli/options/open_store.h"

#include <fmt/core.h>

#include "warpledger/store/key.h"

namespace warpledger::cli {

std::optional<store::Store> open_store(Session& session, bool enabled) {
  const std::string path = store::default_store_path();
  if (!enabled || path.empty() || store::build_identity().empty()) return {};
  Result<store::Store> opened = store::Store::open({.path = path});
  if (!opened) {
    say_not_kept(session, opened.error());
    return {};
  }
  for (const std::string& broken : opened->set_aside()) {
    if (!session.quiet) {
      session.err << fmt::format("the store was damaged and has been moved to '{}'\n", broken);
    }
  }
  return *std::move(opened);
}

void say_not_kept(Session& session, const Diagnostic& why) {
  if (session.quiet) return;
  session.err << fmt::format("cannot store the result of this run: {} (--no-store)\n", why.message);
}

}  // namespace warpledger::cli
