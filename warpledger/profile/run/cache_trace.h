// `--trace-cache line=matmul.cu:11,sm=3`: the accesses of a source line from one SM, in the order
// of the replay, with what each found in the L1 and the L2 (memory/cache_tracer.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "warpledger/memory/cache_tracer.h"
#include "warpledger/profile/sampling/probe.h"

namespace warpledger::profile {

struct CacheTraceRequest {
  SourceLine line = {};  // of the user's source, or of the PTX file itself
  uint32_t sm = 0;
  uint64_t first = 40;  // look-ups that are kept
};

/// "line=FILE:NUMBER[,sm=NUMBER][,first=NUMBER]".
[[nodiscard]] Result<CacheTraceRequest> parse_cache_trace(const std::string& text);

struct TracedAccess {
  memory::CacheAccess access = {};
  std::string place = {};      // "A+0x1200"
  std::string l1_victim = {};  // the same of what had to go; "": nothing had to
  std::string l2_victim = {};
};

struct CacheTrace {
  CacheTraceRequest request = {};
  std::vector<TracedAccess> accesses = {};
  uint64_t seen = 0;  // look-ups of the line on this SM; accesses are the first of them
  uint64_t ctas = 0;  // blocks that ran on this SM
};

/// The sites of the line, by number; the line may name a line of the PTX. Fails where it has none,
/// and says which lines have some.
[[nodiscard]] Result<std::vector<bool>> sites_at(const SourceLine& line,
                                                 const std::string& ptx_file,
                                                 const std::vector<CodeLine>& code,
                                                 const trace::Sites& sites);

/// Fails as sites_at(), and for an SM that the GPU does not have. `code` need not have run.
[[nodiscard]] Result<memory::CacheTracer> make_tracer(const CacheTraceRequest& request,
                                                      const Gpu& gpu, const std::string& ptx_file,
                                                      const std::vector<CodeLine>& code,
                                                      const trace::Sites& sites);

[[nodiscard]] CacheTrace describe_trace(const CacheTraceRequest& request,
                                        memory::CacheTracer& tracer,
                                        const std::vector<NamedRange>& ranges);

/// One row a look-up. What is modeled: all of it, since order decides.
[[nodiscard]] Table table_of(const CacheTrace& trace, const Profile& profile);

/// "line matmul.cu:11 on SM 0: 40 of 65,536 look-ups ...".
[[nodiscard]] std::vector<std::string> lines_of(const CacheTrace& trace, const Profile& profile);

}  // namespace warpledger::profile
