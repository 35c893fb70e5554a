// shfl, vote, match, redux, elect and bar.warp.sync: instructions that a warp executes as one.
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/meeting.h"

namespace warpledger::exec::reference {

Execute find_exchange(const ptx::Spelling& spelling) {
  using ptx::Op;
  static constexpr ExecuteRow kRows[] = {
      {Op::kShfl, meet},  {Op::kVote, meet},  {Op::kMatch, meet},
      {Op::kRedux, meet}, {Op::kElect, meet}, {Op::kBarWarpSync, meet},
  };
  // shfl and vote without .sync were removed from the language.
  return spelling.tier() == ptx::Tier::kParsed ? nullptr : find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
