// Profiles in a store (store/): what the doors, the command line and the studies do with it.
#pragma once

#include <optional>

#include "warpledger/profile/value/profile.h"
#include "warpledger/store/key.h"
#include "warpledger/store/store.h"

namespace warpledger::profile {

/// The GPU, by its id and, where the user named a file, by that file's text. Fails when it cannot
/// be read.
[[nodiscard]] Status add_gpu(const Gpu& gpu, const std::string& gpu_request, store::Key& key);

/// ptxas and nvdisasm, as they are installed: what the witness says is theirs.
void add_tools(store::Key& key);

/// What was kept under the key, or nothing; a record that does not read is forgotten.
[[nodiscard]] std::optional<Profile> find_kept(store::Store& store, const std::string& key);
[[nodiscard]] Status keep(store::Store& store, const std::string& key, const Profile& profile);

}  // namespace warpledger::profile
