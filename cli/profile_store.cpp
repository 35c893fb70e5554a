#include "cli/profile_store.h"

#include <fmt/format.h>

#include <set>

#include "cli/options.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/kept.h"
#include "warpledger/sass/toolchain.h"
#include "warpledger/store/key.h"

namespace warpledger::cli {
namespace {

using profile::Profile;

// How the answer is printed, when a run is given up, and what the key has by content.
const std::set<std::string> kNotPartOfKey = {"--page",         "--metrics",
                                             "--csv",          "--print-units",
                                             "--section",      "--format",
                                             "--json",         "--export",
                                             "--output",       "--force-overwrite",
                                             "--import",       "--no-store",
                                             "--limit",        "--timeout",
                                             "--gpu",          "file",
                                             "--arch",         "--nvcc",
                                             "--help",         "--launch-skip",
                                             "--launch-count", "--launch-skip-before-match",
                                             "--all-launches", "--verbose"};

void add_options(const CLI::App& command, store::Key& key) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->empty() || kNotPartOfKey.contains(name)) continue;
    key.add("option", name);
    for (const std::string& value : option->results()) key.add("value", value);
  }
}

/// Argument texts are options; what a text only names is added by content: x=f32[64]:@file.
Status add_files(const KernelOptions& kernel, store::Key& key) {
  for (const std::string& argument : kernel.arguments) {
    const size_t at = argument.find(":@");
    if (at == std::string::npos) continue;
    WL_TRY(const std::string bytes, read_file(argument.substr(at + 2)));
    key.add("file", bytes);
  }
  return {};
}

Result<std::string> key_of(const ProfileQuestion& question) {
  store::Key key("profile 1");
  key.add("ptx", question.ptx);
  WL_TRY_STATUS(profile::add_gpu(question.gpu, question.gpu_request, key));
  if (question.witness) profile::add_tools(key);
  add_options(question.command, key);
  WL_TRY_STATUS(add_files(question.kernel, key));
  return key.hex();
}

}  // namespace

ProfileStore::ProfileStore(Session& session, bool enabled) : session_(session) {
  const std::string path = store::default_store_path();
  if (!enabled || path.empty() || store::build_identity().empty()) return;
  Result<store::Store> opened = store::Store::open({.path = path});
  if (!opened) {
    say(opened.error());
    return;
  }
  for (const std::string& broken : opened->set_aside()) {
    if (!session.quiet) {
      session.err << fmt::format("the store was damaged; it is now '{}'\n", broken);
    }
  }
  store_ = *std::move(opened);
}

void ProfileStore::say(const Diagnostic& why) {
  if (!session_.quiet) {
    session_.err << fmt::format("this run's answer is not kept: {} (--no-store)\n", why.message);
  }
}

std::optional<Profile> ProfileStore::find(const ProfileQuestion& question) {
  if (!store_) return {};
  const Result<std::string> key = key_of(question);
  if (!key) return {};  // an argument's file cannot be read: the run itself will say so
  std::optional<Profile> profile = profile::find_kept(*store_, *key);
  if (!profile) return {};
  profile->file = question.kernel.file;
  profile->gpu_request = question.gpu_request;
  if (!session_.quiet) {
    session_.err << "from the store: the same question was answered before (--no-store runs it "
                    "again)\n";
  }
  return *std::move(profile);
}

void ProfileStore::keep(const ProfileQuestion& question, const Profile& profile) {
  if (!store_) return;
  const Result<std::string> key = key_of(question);
  if (!key) return;
  if (const Status kept = profile::keep(*store_, *key, profile); !kept) say(kept.error());
}

}  // namespace warpledger::cli
