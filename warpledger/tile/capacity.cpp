#include "warpledger/tile/capacity.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/number.h"
#include "warpledger/base/units.h"
#include "warpledger/tile/statements.h"

namespace warpledger::tile {
namespace {

class Lifetimes {
 public:
  explicit Lifetimes(const TileTypes& types) : types_(types) {}

  void walk(const Body& body) {
    for (const Statement& statement : body) {
      const int at = position_++;
      for (const std::string& tile : tiles_read(statement)) use(tile, 2 * at);
      if (const auto* loop = std::get_if<Loop>(&statement.node)) {
        const int begin = 2 * at;
        walk(loop->body);
        extend(begin, 2 * position_);
        ++position_;
      }
      const bool in_place = std::holds_alternative<Elementwise>(statement.node);
      if (const auto name = tile_written(statement)) define(*name, 2 * at + (in_place ? 1 : 0));
      if (const auto* load = std::get_if<Load>(&statement.node)) {
        buffers[index_.at(load->result)].is_async = load->is_async;
      }
    }
  }

  std::vector<Buffer> buffers;

 private:
  void define(const std::string& name, int moment) {
    if (index_.count(name) > 0) return use(name, moment);
    index_[name] = buffers.size();
    buffers.push_back({name, types_.find(name)->second, moment, moment});
  }
  void use(const std::string& name, int moment) {
    const auto found = index_.find(name);
    if (found == index_.end()) return;  // names of scalars and tensors
    buffers[found->second].end = std::max(buffers[found->second].end, moment);
  }
  /// What was defined before a loop and is used in it is needed until the loop ends.
  void extend(int loop_begin, int loop_end) {
    for (Buffer& buffer : buffers) {
      if (buffer.begin < loop_begin && buffer.end > loop_begin) buffer.end = loop_end;
    }
  }

  const TileTypes& types_;
  int position_ = 0;
  std::map<std::string, size_t> index_;
};

Result<int64_t> whole(const Expression& size, const Sizes& sizes) {
  WL_TRY(const Expression value, size.evaluate(sizes));
  if (const auto n = value.as_integer()) return *n;
  return Diagnostic{fmt::format("{} is {} at these sizes", size.to_text(), value.to_text()), "",
                    "not-whole"};
}

/// TMEM is 128 lanes of 4-byte cells: a tile takes columns for each 128 rows.
Result<int64_t> amount(const TileType& type, const Sizes& sizes) {
  WL_TRY(const int64_t bytes, whole(type.bytes(), sizes));
  if (type.space != Space::kTmem) return bytes;
  WL_TRY(const int64_t rows, whole(type.rows, sizes));
  WL_TRY(const int64_t row_bytes, whole(type.cols * Expression(type.type.bytes), sizes));
  return ceil_div(rows, 128) * ceil_div(row_bytes, 4);
}

Result<int64_t> peak(const std::vector<Buffer>& buffers, Space space, const Sizes& sizes) {
  int64_t most = 0;
  for (const Buffer& now : buffers) {
    int64_t sum = 0;
    for (const Buffer& other : buffers) {
      if (other.type.space != space || other.begin > now.begin || other.end < now.begin) continue;
      WL_TRY(const int64_t n, amount(other.type, sizes));
      sum += n;
    }
    most = std::max(most, sum);
  }
  return most;
}

Result<std::vector<Need>> kernel_needs(const Kernel& kernel, const std::vector<Buffer>& buffers,
                                       const Sizes& sizes, const Gpu& gpu) {
  const SharedMemoryFacts& shared = gpu.architecture.shared_memory;
  const ExecutionFacts& execution = gpu.architecture.execution;
  WL_TRY(const int64_t bytes, peak(buffers, Space::kShared, sizes));
  WL_TRY(const int64_t register_bytes, peak(buffers, Space::kRegisters, sizes));
  WL_TRY(const int64_t columns, peak(buffers, Space::kTmem, sizes));
  std::vector<Need> needs;
  needs.push_back({kernel.name, "shared memory bytes per block", bytes,
                   shared.bytes_per_block_optin.value, shared.bytes_per_block_optin.fidelity});
  needs.push_back({kernel.name, "registers per thread",
                   ceil_div(register_bytes, 4 * int64_t{kernel.threads}),
                   execution.max_regs_per_thread.value, execution.max_regs_per_thread.fidelity});
  const auto& tmem = gpu.architecture.tensor_memory.columns;
  if (columns > 0 || tmem) {
    needs.push_back({kernel.name, "TMEM columns", columns, tmem ? tmem->value : 0,
                     tmem ? tmem->fidelity : Fidelity::kExact});
  }
  return needs;
}

}  // namespace

std::vector<Buffer> buffers_of(const Kernel& kernel, const TileTypes& types) {
  Lifetimes lifetimes(types);
  lifetimes.walk(kernel.body);
  return std::move(lifetimes.buffers);
}

Result<std::vector<Need>> needs_of(const CheckedProgram& program, const Sizes& sizes,
                                   const Gpu& gpu) {
  std::vector<Need> all;
  for (size_t k = 0; k < program->kernels.size(); ++k) {
    const auto buffers = buffers_of(program->kernels[k], program.types()[k]);
    WL_TRY(const auto needs, kernel_needs(program->kernels[k], buffers, sizes, gpu));
    all.insert(all.end(), needs.begin(), needs.end());
  }
  return all;
}

Table capacity_table(const std::vector<Need>& needs, const std::string& gpu_name) {
  Table table;
  table.title = "Capacity on " + gpu_name;
  table.columns = {{"Kernel", "kernel"},
                   {"Resource", "resource"},
                   {"Needed", "needed", Align::kRight},
                   {"Available", "available", Align::kRight},
                   {"Verdict", "verdict"}};
  for (const Need& need : needs) {
    const std::string verdict =
        need.fits() ? "fits"
                    : fmt::format("too much by {}", group_thousands(need.needed - need.available));
    table.rows.push_back({{need.kernel, need.resource, Cell(need.needed, Fidelity::kExact),
                           Cell(need.available, need.fidelity), verdict}});
  }
  table.notes.push_back(
      "Tiles only, each while it is needed; alignment, packing, addresses and counters are not "
      "included (see warpledger plan).");
  return table;
}

}  // namespace warpledger::tile
