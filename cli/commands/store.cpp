// `warpledger store`: show or clear the stored results of earlier runs.
#include "warpledger/store/store.h"

#include <fmt/core.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"

namespace warpledger::cli {
namespace {

Result<store::Store> open_store() {
  const store::StoreOptions options = store::default_store_options();
  if (options.path.empty()) {
    return Diagnostic{.message = "no directory available for the store",
                      .hint = "set HOME, XDG_CACHE_HOME or WARPLEDGER_STORE",
                      .code = "store"};
  }
  return store::Store::open(options);
}

Table table_of(const store::StoreInfo& info) {
  const auto count = [](uint64_t n) { return Cell(static_cast<int64_t>(n), Fidelity::kExact); };
  return {.columns = {{"what", "what"}, {"", "value", Align::kRight}},
          .rows = {{{"stored answers", count(info.entries)}},
                   {{"bytes of answers", count(info.bytes)}},
                   {{"bytes on disk", count(info.file_bytes)}},
                   {{"limit in bytes", count(info.limit_bytes)}}}};
}

Status show(Session& session, const OutputOptions& output) {
  WL_TRY(store::Store store, open_store());
  WL_TRY(const store::StoreInfo info, store.info());
  Report report{.command = "store info", .verdict = {info.path}, .tables = {table_of(info)}};
  if (info.remote) {
    report.verdict.push_back(fmt::format("behind it: {} ({})", info.remote->url,
                                         info.remote->is_signed ? "signed" : "checksums"));
  }
  for (const std::string& broken : store.set_aside()) {
    report.verdict.push_back(fmt::format("a damaged file was set aside: {}", broken));
  }
  print(session, output, {.report = std::move(report)});
  return {};
}

Status clear(Session& session) {
  WL_TRY(store::Store store, open_store());
  WL_TRY(const store::StoreInfo before, store.info());
  WL_TRY_STATUS(store.clear());
  if (!session.quiet) session.out << fmt::format("deleted {} answers\n", before.entries);
  return {};
}

}  // namespace

void add_store(Command& app, Session& session) {
  Command command = add_command(app, "store", "show or clear the stored results of earlier runs",
                                "  warpledger store info\n"
                                "  warpledger store clear");
  command->require_subcommand(1);
  const auto output = std::make_shared<OutputOptions>();
  Command info = add_command(*command, "info", "show where the store is and how much it holds",
                             "  warpledger store info --json");
  add_output_options(*info, *output);
  info->callback([output, &session] {
    if (const Status done = show(session, *output); !done) fail(session, done.error());
  });
  add_command(*command, "clear", "delete everything in the store", "  warpledger store clear")
      ->callback([&session] {
        if (const Status done = clear(session); !done) fail(session, done.error());
      });
}

}  // namespace warpledger::cli
