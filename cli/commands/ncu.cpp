// `warpledger ncu ...`: ncu's command line, answered by `warpledger profile`; a script of the name
// `ncu` for programs that call it.
#include "cli/commands/ncu.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "cli/options/ncu_options.h"
#include "warpledger/base/file.h"

namespace warpledger::cli {
namespace {

namespace fs = std::filesystem;

Result<std::string> own_path() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed)
    return Diagnostic{.message = "warpledger does not find itself", .code = "file-access"};
  return self.string();
}

Status install_shim(Session& session, const std::string& folder) {
  WL_TRY(const std::string self, own_path());
  const fs::path path = fs::path(folder) / "ncu";
  std::error_code failed;
  fs::create_directories(folder, failed);
  WL_TRY_STATUS(write_file(
      path.string(),
      fmt::format("#!/bin/sh\n# warpledger answers as ncu.\nexec '{}' ncu \"$@\"\n", self)));
  fs::permissions(path,
                  fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec |
                      fs::perms::group_read | fs::perms::others_read,
                  failed);
  session.out << fmt::format("{} answers as ncu: put {} first in PATH\n", path.string(), folder);
  return {};
}

/// Becomes `warpledger WORDS...`.
Status become(const std::vector<std::string>& words) {
  WL_TRY(const std::string self, own_path());
  std::vector<char*> argv{const_cast<char*>("warpledger")};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(self.c_str(), argv.data());
  return Diagnostic{.message = "cannot run " + self, .code = "tool-failed"};
}

Status run_ncu(Session& session, const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "--install-shim") return install_shim(session, words[1]);
  if (words.size() == 1 && (words[0] == "--version" || words[0] == "-v"))
    return become({"--version"});
  if (words.empty() || words[0] == "--help" || words[0] == "-h")
    return become({"profile", "--help"});
  WL_TRY(std::vector<std::string> translated, profile_words(words));
  translated.insert(translated.begin(), "profile");
  return become(translated);
}

}  // namespace

void add_ncu(Command& app, Session& session) {
  Command command = add_command(
      app, "ncu", "ncu's command line, answered without a GPU; --install-shim DIR: as `ncu`",
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
