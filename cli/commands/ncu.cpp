// `warpledger ncu ...`: ncu's command line, answered by `warpledger profile`; a script of the name
// `ncu` for programs that call it.
#include "cli/commands/ncu.h"

#include <fmt/core.h>

#include <filesystem>

#include "cli/options/ncu_options.h"
#include "cli/terminal/child.h"
#include "warpledger/base/file.h"

namespace warpledger::cli {
namespace {

namespace fs = std::filesystem;

Status install_shim(Session& session, const std::string& folder) {
  const fs::path self = own_file(), path = fs::path(folder) / "ncu";
  if (self.empty())
    return Diagnostic{.message = "cannot find the warpledger executable", .code = "file-access"};
  std::error_code failed;
  fs::create_directories(folder, failed);
  WL_TRY_STATUS(write_file(
      path.string(), fmt::format("#!/bin/sh\n# warpledger answers as ncu.\nexec '{}' ncu \"$@\"\n",
                                 self.string())));
  fs::permissions(path,
                  fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec |
                      fs::perms::group_read | fs::perms::others_read,
                  failed);
  session.out << fmt::format("installed {}: put {} first in PATH\n", path.string(), folder);
  return {};
}

/// `warpledger WORDS...` in place of this command.
Diagnostic become_warpledger(std::vector<std::string> words) {
  words.insert(words.begin(), "warpledger");
  return become(own_file().string(), words);
}

Status run_ncu(Session& session, const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "--install-shim") return install_shim(session, words[1]);
  if (words.size() == 1 && (words[0] == "--version" || words[0] == "-v"))
    return become_warpledger({"--version"});
  if (words.empty() || words[0] == "--help" || words[0] == "-h")
    return become_warpledger({"profile", "--help"});
  WL_TRY(std::vector<std::string> translated, profile_words(words));
  translated.insert(translated.begin(), "profile");
  return become_warpledger(std::move(translated));
}

}  // namespace

void add_ncu(Command& app, Session& session) {
  Command command = add_command(
      app, "ncu", "take ncu's command line, without a GPU; --install-shim DIR installs it as `ncu`",
      "  warpledger ncu --set full -k regex:gemm -o report ./app\n"
      "  warpledger ncu --csv --page raw --metrics dram__bytes.sum ./app\n"
      "  warpledger ncu --install-shim ~/bin");
  command->prefix_command();
  command->without_help();
  command->callback([command, &session] {
    if (const Status status = run_ncu(session, command->remaining()); !status)
      fail(session, status.error());
  });
}

}  // namespace warpledger::cli
