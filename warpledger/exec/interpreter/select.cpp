#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/texture.h"

namespace warpledger::exec::reference {

Execute select(const ptx::Spelling& spelling) {
  for (const auto find :
       {find_value,      find_memory,        find_atomic,         find_control, find_barrier,
        find_exchange,   find_async,         find_mbarrier,       find_matrix,  find_cluster,
        find_bulk,       find_tensor_copy,   find_tensor_map,     find_wgmma,   find_tensor_memory,
        find_tensor_mma, find_tensor_commit, find_launch_control, find_texture, find_surface}) {
    if (const Execute run = find(spelling)) return run;
  }
  return nullptr;
}

void link_handlers(Program& program) {
  for (const auto& code : program.codes) {
    for (Step& step : code->steps) step.run = select(step.spelling());
  }
}

}  // namespace warpledger::exec::reference
