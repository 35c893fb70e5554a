#include "warpledger/exec/decode/access_record.h"

namespace warpledger::exec {
namespace {

// Shapes that do not come again fill the table; beyond this many, records are raw.
constexpr uint32_t kMostShapes = 16'384;

std::optional<trace::Record> regular(trace::ShapeTable& shapes, uint32_t site, Lanes lanes,
                                     const PerLane<uint64_t>& address) {
  trace::Shape shape{.mask = lanes};
  const uint64_t first = address[static_cast<size_t>(__builtin_ctz(lanes))];
  bool fits = shapes.size() < kMostShapes;
  for (size_t lane = 0; lane < address.size(); ++lane) {  // without branches: side by side
    const auto offset = static_cast<int64_t>(address[lane] - first);
    const bool takes_part = (lanes >> lane & 1) != 0;
    fits &= !takes_part || offset == static_cast<int32_t>(offset);
    shape.offset[lane] = takes_part ? static_cast<int32_t>(offset) : 0;
  }
  if (!fits) return {};
  const auto id = shapes.intern(shape);
  if (!id) return {};
  return trace::Record{first, *id, site};
}

}  // namespace

void count_access(Statistics::Accesses& accesses, const trace::Site& site, Lanes lanes,
                  uint64_t bytes) {
  if (passes_load_store_unit(site)) {
    switch (effect_of(site)) {
      case trace::Effect::kRead:
        ++accesses.loads;
        break;
      case trace::Effect::kWrite:
        ++accesses.stores;
        break;
      case trace::Effect::kUpdate:
        ++accesses.atomics;
        break;
    }
  }
  const auto active = static_cast<uint64_t>(__builtin_popcount(lanes));
  accesses.lanes += active;
  accesses.bytes += active * bytes;
}

void write_access(trace::Buffer& buffer, trace::ShapeTable& shapes, uint32_t site, Lanes lanes,
                  const PerLane<uint64_t>& address) {
  if (lanes == 0) return buffer.push({0, trace::kNoLanes, site});
  if (const auto one = regular(shapes, site, lanes, address)) return buffer.push(*one);
  buffer.push_raw(lanes, site, address);
}

}  // namespace warpledger::exec
