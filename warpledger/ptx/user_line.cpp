#include "warpledger/ptx/user_line.h"

namespace warpledger::ptx {
namespace {

/// The .loc that `place` itself stands under, where it was inlined too.
const SourceLocation* inlined(const Function& function, const SourcePlace& place) {
  for (const SourceLocation& location : function.locations) {
    const SourcePlace& at = location.at;
    const bool same = at.file == place.file && at.line == place.line && at.column == place.column;
    if (same && location.is_inlined) return &location;
  }
  return nullptr;
}

}  // namespace

bool is_toolkit_header(std::string_view path) {
  const auto has = [path](std::string_view part) {
    return path.find(part) != std::string_view::npos;
  };
  const size_t version = path.find("/cuda-");  // /usr/local/cuda-13.0/include, not cuda-samples
  const bool is_versioned = version != std::string_view::npos && version + 6 < path.size() &&
                            path[version + 6] >= '0' && path[version + 6] <= '9';
  // An installed toolkit (also conda's), its wheels, and the system's headers.
  return (has("/targets/") && has("-linux/include/")) || has("/local/cuda/include/") ||
         (is_versioned && has("/include/")) || has("-packages/nvidia/") ||
         path.starts_with("/usr/include/") || path.starts_with("/usr/lib/");
}

SourcePlace user_place(const Module& module, const Function& function,
                       const SourceLocation& location) {
  const SourceLocation* from = &location;
  SourcePlace at = location.at;
  // No chain is longer than the list: a ring of calls ends.
  for (size_t i = 0; i <= function.locations.size(); ++i) {
    if (!is_toolkit_header(module.file_name(at.file))) return at;
    if (from == nullptr || !from->is_inlined) break;
    at = from->inlined_at;
    from = inlined(function, at);
  }
  return location.at;
}

}  // namespace warpledger::ptx
