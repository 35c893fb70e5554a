// Profiles of lone kernels, kept from run to run. The key holds the PTX, the GPU's file, the tools
// that are asked, and every option of the command line but those that are known to change only how
// the answer is printed: an option that nobody thought of makes another key, never a wrong answer.
#pragma once

#include "cli/kernel_options.h"
#include "warpledger/profile/profile.h"
#include "warpledger/store/store.h"

namespace warpledger::cli {

/// What a profile is asked for, besides the command line's options.
struct ProfileQuestion {
  const CLI::App& command;
  const KernelOptions& kernel;
  const std::string& ptx;
  const Gpu& gpu;
  const std::string& gpu_request;
  bool witness = true;
};

class ProfileStore {
 public:
  /// A store that cannot be used is said on `session`, and nothing is kept.
  ProfileStore(Session& session, bool enabled);

  /// Null when nothing is kept.
  [[nodiscard]] store::Store* store() { return store_ ? &*store_ : nullptr; }
  [[nodiscard]] std::optional<profile::Profile> find(const ProfileQuestion& question);
  void keep(const ProfileQuestion& question, const profile::Profile& profile);

 private:
  void say(const Diagnostic& why);

  Session& session_;
  std::optional<store::Store> store_;
};

}  // namespace warpledger::cli
