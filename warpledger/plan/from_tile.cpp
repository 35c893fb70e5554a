#include "warpledger/plan/from_tile.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/plan/tensor_memory.h"
#include "warpledger/tile/capacity.h"

namespace warpledger::plan {
namespace {

constexpr int64_t kSharedAlignment = 128;  // what a bulk copy (TMA) writes to; no swizzle is known

/// The tile language says i32 where a plan says s32.
Dtype dtype_of(const tile::ElementType& type) {
  const std::string name = type.name[0] == 'i' ? "s" + type.name.substr(1) : type.name;
  if (const auto found = find_dtype(name)) return *found;
  return {type.name, type.bytes * 8, "unsigned char", ""};
}

class Derivation {
 public:
  Derivation(const tile::Program& program, const tile::Kernel& kernel, int64_t stages)
      : program_(program), kernel_(kernel), stages_(stages) {
    plan_.name = program.name + (program.kernels.size() > 1 ? "_" + kernel.name : "");
    plan_.threads = kernel.threads;
    for (const auto& [name, value] : program.known_sizes()) plan_.sizes[name] = value;
  }

  Result<Plan> run(const tile::TileTypes& types) {
    const std::vector<tile::Buffer> tiles = tile::buffers_of(kernel_, types);
    name_moments(tiles);
    for (const tile::Buffer& one : tiles) {
      if (one.is_async) plan_.sizes["stages"] = stages_;
      if (one.type.space == tile::Space::kRegisters) continue;
      WL_TRY(Buffer buffer, buffer_of(one));
      plan_.buffers.push_back(std::move(buffer));
    }
    return std::move(plan_);
  }

 private:
  /// One event for each moment at which a tile begins or has ended, in the order of the statements.
  void name_moments(const std::vector<tile::Buffer>& tiles) {
    for (const tile::Buffer& one : tiles) moments_.try_emplace(one.begin, one.tile);
    for (const tile::Buffer& one : tiles) moments_.try_emplace(one.end + 1, one.tile + ".end");
    EventId before = kStartEvent;
    for (const auto& [moment, name] : moments_) {
      const EventId event = plan_.order.add(name);
      plan_.order.add_before(before, event);
      events_[moment] = before = event;
    }
    plan_.order.close();
  }

  Result<int64_t> whole(const Expression& size) const {
    WL_TRY(const Expression value, size.evaluate(program_.known_sizes()));
    const auto number = value.as_integer();
    if (number && *number >= 1 && *number <= int64_t{1} << 20) return *number;
    return Diagnostic{
        .message = fmt::format("{} is {} at these sizes", size.to_text(), value.to_text()),
        .hint = "give every size a value: --set N=8192",
        .code = "unknown-size"};
  }

  Result<Buffer> buffer_of(const tile::Buffer& one) {
    Buffer buffer;
    buffer.name = one.tile;
    buffer.dtype = dtype_of(one.type.type);
    WL_TRY(const int64_t rows, whole(one.type.rows));
    WL_TRY(const int64_t cols, whole(one.type.cols));
    buffer.shape = {rows, cols};
    if (one.type.space == tile::Space::kTmem) {
      buffer.space = Space::kTensor;
      buffer.alignment = 4;
      buffer.form.layout = rows == 32 ? 'G' : rows == 64 ? 'E' : 'D';
      buffer.form.is_accumulator = one.type.is_accumulator;
      WL_TRY(buffer.size, columns_of(buffer, 1));
    } else {
      buffer.size = tensor_bytes(buffer);
      buffer.alignment = kSharedAlignment;
    }
    buffer.ring = one.is_async ? static_cast<int>(stages_) : 1;
    buffer.is_loaded = one.is_async;
    buffer.bytes_in_flight = (buffer.ring - 1) * tensor_bytes(buffer);
    buffer.stride = round_up(buffer.size, buffer.alignment);
    buffer.slots.push_back(
        {0, buffer.ring, {{events_.at(one.begin), events_.at(one.end + 1)}}, std::nullopt});
    return buffer;
  }

  const tile::Program& program_;
  const tile::Kernel& kernel_;
  int64_t stages_;
  Plan plan_;
  std::map<int, std::string> moments_;
  std::map<int, EventId> events_;
};

}  // namespace

Result<Plan> plan_of(const tile::CheckedProgram& program, size_t kernel, const Sizes& replaced) {
  warpledger::Sizes values;
  int64_t stages = 1;
  for (const auto& [name, value] : replaced) {
    if (name == "stages") {
      stages = std::clamp<int64_t>(value, 1, 64);
    } else {
      values[name] = value;
    }
  }
  WL_TRY(const tile::CheckedProgram sized, tile::with_sizes(program, values));
  WL_CHECK(kernel < sized->kernels.size());
  return Derivation(*sized, sized->kernels[kernel], stages).run(sized.types()[kernel]);
}

}  // namespace warpledger::plan
