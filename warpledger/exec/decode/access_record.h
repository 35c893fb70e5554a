// How one access of a warp is counted and written into the trace, whichever engine runs it.
#pragma once

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/semantics/warp.h"
#include "warpledger/trace/buffer.h"
#include "warpledger/trace/shape.h"

namespace warpledger::exec {

/// Adds an access of so many bytes a lane.
void count_access(Statistics::Accesses& accesses, const trace::Site& site, Lanes lanes,
                  uint64_t bytes);

/// Writes the record of an access: by its shape where that fits, else raw.
void write_access(trace::Buffer& buffer, trace::ShapeTable& shapes, uint32_t site, Lanes lanes,
                  const PerLane<uint64_t>& address);

}  // namespace warpledger::exec
