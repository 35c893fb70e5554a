// Where warps wait: the source line at which the simulated SM holds them most, the reason, and the
// line that they wait for.
#pragma once

#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

struct LineWait {
  SourceLine where = {};
  sm::Reason reason = sm::Reason::kWait;
  double share = 0;                          // of all warp cycles, 0..1
  std::optional<SourceLine> waits_for = {};  // that of the instruction that set the scoreboard
};

/// Lines and reasons, the largest share first; none without states. Being selected, and eligible
/// while another is, is not a wait.
[[nodiscard]] std::vector<LineWait> waits_of(const Profile& profile);

/// The first of them; nothing where none has a tenth (ncu's rule for lines).
[[nodiscard]] std::optional<LineWait> longest_wait(const Profile& profile);

/// What the launch's time would lose if nobody waited for that line, 0..1: by simulating again.
/// 0 where there is none.
[[nodiscard]] double saving_without_wait(const Profile& profile);

/// "warps spend 41 % of their time waiting at matmul.cu:33 (long_scoreboard), for matmul.cu:21
/// (modeled)".
[[nodiscard]] std::string to_text(const LineWait& wait);

}  // namespace warpledger::profile
