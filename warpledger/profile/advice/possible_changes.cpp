#include "warpledger/profile/advice/possible_changes.h"

namespace warpledger::profile {

Result<Advice> possible_changes(const Profile& profile) {
  WL_TRY(Advice advice, advise(profile.gpu, profile.launch));
  std::erase_if(advice.changes, [&](const Change& change) {
    return change.axis == SweepAxis::kRegisters && change.to < profile.resources.live_registers;
  });
  return advice;
}

}  // namespace warpledger::profile
