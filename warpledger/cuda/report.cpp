#include "warpledger/cuda/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "warpledger/base/file.h"
#include "warpledger/profile/json.h"

namespace warpledger::cuda {
namespace {

constexpr std::string_view kRecord = "profile ";

}  // namespace

void append_profile(const std::string& path, const profile::Profile& profile) {
  const std::string json = profile::to_json(profile);
  const std::string record = fmt::format("{}{}\n{}", kRecord, json.size(), json);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  for (size_t done = 0; done < record.size();) {
    const ssize_t wrote = write(file, record.data() + done, record.size() - done);
    if (wrote <= 0) break;
    done += static_cast<size_t>(wrote);
  }
  close(file);
}

Result<std::vector<profile::Profile>> read_report(const std::string& path) {
  WL_TRY(const std::string text, read_file(path));
  std::vector<profile::Profile> profiles;
  for (size_t at = 0; at < text.size();) {
    const size_t line = text.find('\n', at);
    if (text.compare(at, kRecord.size(), kRecord) != 0 || line == std::string::npos)
      return Diagnostic{.message = "the report of the program is damaged", .code = "bad-report"};
    const uint64_t bytes = std::strtoull(text.c_str() + at + kRecord.size(), nullptr, 10);
    if (bytes > text.size() - line - 1) break;  // the program was killed while it wrote
    WL_TRY(profile::Profile one,
           profile::profile_from_json(Source(path, text.substr(line + 1, bytes))));
    profiles.push_back(std::move(one));
    at = line + 1 + bytes;
  }
  return profiles;
}

}  // namespace warpledger::cuda
