#include "warpledger/profile/run/trip_windows.h"

#include <algorithm>
#include <set>

#include "warpledger/sass/witness/seen.h"

namespace warpledger::profile {
namespace {

/// The copies of one PTX instruction.
struct Copies {
  std::set<uint32_t> widths;              // of wide ones
  std::set<uint32_t> wide_in, narrow_in;  // blocks
};

/// Of memory whose alignment ptxas does not know it makes no wide access: shared memory is left.
bool serves_trips(const sass::SassAccess& access) {
  return access.merge == sass::MergeRule::kOwnCopies &&
         access.access.kind == sass::AccessKind::kLoad &&
         access.access.space == sass::AccessSpace::kShared;
}

}  // namespace

std::map<sass::Place, uint32_t> trip_windows(const sass::KernelWitness& kernel) {
  std::map<sass::Place, Copies> all;
  for (const sass::SassAccess& access : kernel.accesses) {
    if (access.access_class != sass::AccessClass::kKept || access.members.empty()) continue;
    Copies& copies = all[{access.place.function, access.members.front()}];
    const bool is_wide = serves_trips(access);
    if (is_wide) copies.widths.insert(access.access.width);
    (is_wide ? copies.wide_in : copies.narrow_in).insert(sass::block_at(kernel, access.index));
  }
  std::map<sass::Place, uint32_t> windows;
  for (const auto& [leader, copies] : all) {
    const bool is_sure = copies.widths.size() == 1 &&
                         std::includes(copies.wide_in.begin(), copies.wide_in.end(),
                                       copies.narrow_in.begin(), copies.narrow_in.end());
    if (is_sure) windows[leader] = *copies.widths.begin();
  }
  return windows;
}

}  // namespace warpledger::profile
