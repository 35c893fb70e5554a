#include "cli/options/open_store.h"

#include <fmt/core.h>

#include "warpledger/store/key.h"

namespace warpledger::cli {

std::optional<store::Store> open_store(Session& session, bool enabled) {
  const store::StoreOptions options = store::default_store_options();
  if (!enabled || options.path.empty() || store::build_identity().empty()) return {};
  Result<store::Store> opened = store::Store::open(options);
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

void say_refused(Session& session, const store::Store* store) {
  const auto remote = store == nullptr ? std::nullopt : store->remote();
  if (!remote || session.quiet) return;
  if (remote->refused > 0) {
    session.err << fmt::format(
        "warning: an entry of the remote store is damaged or has a wrong signature; it was not "
        "used ({})\n",
        remote->url);
  }
  if (!remote->failure.empty()) session.err << fmt::format("warning: {}\n", remote->failure);
}

}  // namespace warpledger::cli
