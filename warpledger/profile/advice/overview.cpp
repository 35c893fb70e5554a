#include "warpledger/profile/advice/overview.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "warpledger/profile/advice/summary.h"

namespace warpledger::profile {
namespace {

struct Kernel {
  std::string name = {};
  uint64_t launches = 0;
  double nanoseconds = 0;
  const Profile* longest = nullptr;  // its profile that takes the most time in all
  double longest_nanoseconds = -1;
};

uint64_t launches_of(const Profile& profile) {
  return std::max<uint64_t>(1, profile.launches.count);
}

/// Of one launch; 0 where the time is not modeled.
double nanoseconds_of(const Profile& profile) {
  return profile.timing ? profile.timing->seconds() * 1e9 : 0;
}

void add(const Profile& profile, Kernel& kernel) {
  const uint64_t launches = launches_of(profile);
  const double all = nanoseconds_of(profile) * static_cast<double>(launches);
  kernel.launches += launches;
  kernel.nanoseconds += all;
  if (all <= kernel.longest_nanoseconds) return;
  kernel.longest_nanoseconds = all;
  kernel.longest = &profile;
}

std::vector<Kernel> kernels_of(const std::vector<Profile>& profiles) {
  std::map<std::string, Kernel> by_name;
  for (const Profile& profile : profiles) {
    Kernel& kernel = by_name[short_name(profile.kernel)];
    kernel.name = short_name(profile.kernel);
    add(profile, kernel);
  }
  std::vector<Kernel> kernels;
  for (auto& [name, kernel] : by_name) kernels.push_back(std::move(kernel));
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const Kernel& a, const Kernel& b) { return a.nanoseconds > b.nanoseconds; });
  return kernels;
}

Cell time_cell(double nanoseconds) {
  if (nanoseconds == 0) return "-";
  return {time_in_words(nanoseconds), nanoseconds, Fidelity::kModeled};
}

Cell share_cell(double part, double whole) {
  if (part == 0) return "-";
  return {fmt::format("{:.1f} %", 100 * part / whole), part / whole, Fidelity::kModeled};
}

Cell finding_cell(const Profile& profile) {
  const std::vector<Finding> findings = find(profile);
  return findings.empty() ? "" : findings.front().title;
}

}  // namespace

Table overview(const std::vector<Profile>& profiles) {
  const std::vector<Kernel> kernels = kernels_of(profiles);
  double whole = 0;
  for (const Kernel& kernel : kernels) whole += kernel.nanoseconds;
  Table table{.title = "Kernels by total time",
              .columns = {{"kernel", "kernel"},
                          {"launches", "launches", Align::kRight},
                          {"total time", "nanoseconds", Align::kRight},
                          {"share", "share", Align::kRight},
                          {"limit", "limit"},
                          {"first finding", "finding"}}};
  for (const Kernel& kernel : kernels) {
    table.rows.push_back({.cells = {kernel.name,
                                    {static_cast<int64_t>(kernel.launches), Fidelity::kExact},
                                    time_cell(kernel.nanoseconds),
                                    share_cell(kernel.nanoseconds, whole),
                                    limit_of(*kernel.longest),
                                    finding_cell(*kernel.longest)}});
  }
  table.notes.push_back(
      "limit and first finding are those of each kernel's most expensive launches; use -k NAME to "
      "show one kernel, -s and -c to select launches");
  return table;
}

}  // namespace warpledger::profile
