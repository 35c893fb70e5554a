// `warpledger report`: saved profiles as one HTML file.
#include <fmt/core.h>

#include <iterator>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/commands/profile_html.h"
#include "cli/terminal/output.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/file/report_file.h"

namespace warpledger::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  ReportOptions report;
  OutputOptions output;
};

Status report_on(Session& session, const Options& options) {
  std::vector<profile::Profile> launches;
  for (const std::string& file : options.files) {
    WL_TRY(std::string text, read_file(file));
    WL_TRY(auto kept, profile::read_report(Source(file, std::move(text))));
    std::move(kept.begin(), kept.end(), std::back_inserter(launches));
  }
  WL_TRY_STATUS(write_report(options.report, launches));
  if (session.quiet) return {};
  print(session, options.output,
        {.report = {.command = "report", .tables = {report::launch_list(launches)}}});
  return {};
}

}  // namespace

void add_report(Command& app, Session& session) {
  const auto options = std::make_shared<Options>();
  Command command = add_command(
      app, "report", "write saved profiles as one HTML file",
      "  warpledger profile k.cu --kernel k --gpu a100 --grid 64 --block 256 -o k.wlrep\n"
      "  warpledger report k.wlrep -o k.html");
  command
      ->add_option("FILE", options->files, "profiles written by 'profile -o' or 'profile --json'")
      ->required();
  command->add_option("-o,--output", options->report.file, "the HTML file")->type_name("FILE.html");
  add_report_options(*command, options->report);
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    if (const Status status = report_on(session, *options); !status) fail(session, status.error());
  });
}

}  // namespace warpledger::cli
