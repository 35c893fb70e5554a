// profile/file/: profiles in files: JSON, report files of many launches (report_file.h), answers
// that a store keeps (kept.h). The room writes what is there and reads it back; it must not model.
//
// This file: a profile as JSON, for scripts, `compare` and later readers. "name", "units" and
// "metrics" are written for readers of the file: they follow from the rest, which is read back.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/source.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// Raised when a field changes its name or meaning.
inline constexpr int kProfileSchemaVersion = 1;

/// Indented by two, ends with a newline.
[[nodiscard]] std::string to_json(const Profile& profile);
/// The launches of a program: one array.
[[nodiscard]] std::string to_json(const std::vector<Profile>& profiles);

/// True for the text of a profile, or of several (report_file.h), rather than of a ledger or
/// something else.
[[nodiscard]] bool is_profile_json(std::string_view text);

/// Post: to_json(*profile_from_json(Source(_, to_json(p)))) == to_json(p), for a GPU that is still
/// found under the name that was asked for.
[[nodiscard]] Result<Profile> profile_from_json(const Source& source);

}  // namespace warpledger::profile
