// wmma.load and wmma.store: a matrix in memory to a fragment and back.
#include <bit>
#include <cstring>

#include "warpledger/base/check.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/matrix.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Space;

/// The matrix's bytes: element (row, col) at base + (row * stride + col) elements, or turned.
class MatrixInMemory {
 public:
  MatrixInMemory(const Context& context, const MatrixTransfer& plan, SpaceAddress base,
                 uint64_t stride, bool drops)
      : context_(context), plan_(plan), base_(base), stride_(stride), drops_(drops) {
    WL_CHECK(std::has_single_bit(static_cast<uint32_t>(plan.map.cols)));  // of every fragment
  }

  [[nodiscard]] SpaceAddress at(uint32_t place) const {
    return {base_.space, base_.offset + bit_of(place) / 8};
  }

  /// Checks the matrix line by line (rows, or columns of a column-major one), as moving it would.
  /// False: some line is not there in one piece, or a fault; elements are then asked one by one.
  [[nodiscard]] bool check_lines(Access access) const {
    if (plan_.map.products != 1) return false;
    const int length = plan_.column_major ? plan_.map.rows : plan_.map.cols;
    const int lines = plan_.map.size() / length;
    const auto bytes = static_cast<uint64_t>(length * plan_.map.element_bits) / 8;
    for (int i = 0; i < lines; ++i) {
      const auto line = static_cast<uint32_t>(plan_.column_major ? i : i * plan_.map.cols);
      const SpaceAddress start = at(line);
      if (bit_of(line) % 8 != 0 || start.offset % std::min<uint64_t>(bytes, 32) != 0) return false;
      if (!is_there(start, bytes) || context_.bytes(start, bytes, 0, access) == nullptr)
        return false;
    }
    return true;
  }

  uint64_t load(uint32_t place, int lane) const {
    const std::byte* bytes = context_.bytes(at(place), element_bytes(), lane, Access::kRead);
    uint64_t value = 0;
    if (bytes != nullptr) std::memcpy(&value, bytes, element_bytes());
    return value >> bit_of(place) % 8 & mask();
  }
  void store(uint32_t place, int lane, uint64_t value) const {
    std::byte* bytes = context_.bytes(at(place), element_bytes(), lane, Access::kWrite);
    if (bytes != nullptr && !drops_) std::memcpy(bytes, &value, element_bytes());
  }

 private:
  [[nodiscard]] bool is_there(const SpaceAddress& start, uint64_t bytes) const {
    if (start.space == Space::kGlobal)
      return context_.engine.image().memory().find(start.offset, bytes) != nullptr;
    const uint64_t end = context_.cta.shared.size();
    return start.space == Space::kShared && bytes <= end && start.offset <= end - bytes;
  }
  [[nodiscard]] uint64_t bit_of(uint32_t place) const { return plan_.bit_of(place, stride_); }
  [[nodiscard]] uint64_t element_bytes() const {
    return static_cast<uint64_t>(std::max(8, plan_.map.element_bits)) / 8;
  }
  [[nodiscard]] uint64_t mask() const {
    return plan_.map.element_bits >= 64 ? ~uint64_t{0}
                                        : (uint64_t{1} << plan_.map.element_bits) - 1;
  }

  const Context& context_;
  const MatrixTransfer& plan_;
  SpaceAddress base_;
  uint64_t stride_;
  bool drops_;  // bytes are checked and not moved
};

uint32_t site_offset(const Step& step, Space space) {
  if (step.spelling().space() != Space::kGeneric) return 0;
  return space == Space::kShared ? 1 : 0;
}

void record_requests(const Context& context, const Step& step, const MatrixInMemory& memory) {
  for (const PerLane<uint32_t>& request : step.move->requests) {
    Accessed accessed;
    Space space = Space::kGlobal;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const uint32_t place = request[static_cast<size_t>(lane)];
      if (place == FragmentMove::kNobody) continue;
      const SpaceAddress at = memory.at(place);
      space = at.space;
      accessed.lanes |= Lanes{1} << lane;
      accessed.address[static_cast<size_t>(lane)] = at.offset;
    }
    record(context, step, space, site_offset(step, space), accessed, step.move->width);
  }
}

// Operands: fragment, address, stride (load); address, fragment, stride (store).
std::optional<MatrixInMemory> find_in_memory(Context& context, const Step& step, size_t address) {
  if (step.move == nullptr) {
    const auto plan = plan_transfer(step.spelling(), context.engine.image().module().target.number);
    context.fault(step, 0, plan.error().message, "unsupported-opcode");
    return {};
  }
  const MatrixTransfer& plan = step.move->plan;
  const bool given = step.operands.size() > 2 && step.operands[2].kind != Value::Kind::kNone;
  const uint64_t stride =
      given ? context.read(step.operands[2], 0) : static_cast<uint64_t>(plan.leading);
  const SpaceAddress base = context.address(step.operands[address], step.spelling().space(), 0);
  return MatrixInMemory(context, plan, base, stride, step.dropped);
}

/// A dropped transfer of whole lines needs no more than their check.
bool is_done(const Step& step, const MatrixInMemory& memory, Access access) {
  return step.dropped && memory.check_lines(access);
}

}  // namespace

Outcome run_wmma_load(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  const auto memory = find_in_memory(context, step, 1);
  if (!memory) return Outcome::kStay;
  if (!is_done(step, *memory, Access::kRead)) {
    const OperandMap& map = step.move->plan.map;
    std::vector<uint64_t> matrix(static_cast<size_t>(map.size()));
    for (uint32_t place = 0; place < matrix.size() && !context.failed(); ++place)
      matrix[place] = memory->load(place, 0);
    if (context.failed()) return Outcome::kStay;
    if (!step.dropped) write_registers(context, step.operands[0], scatter_matrix(map, matrix));
  }
  record_requests(context, step, *memory);
  return Outcome::kNext;
}

Outcome run_wmma_store(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  const auto memory = find_in_memory(context, step, 0);
  if (!memory) return Outcome::kStay;
  if (!is_done(step, *memory, Access::kWrite)) {
    const OperandMap& map = step.move->plan.map;
    const std::vector<uint64_t> matrix =
        step.dropped ? std::vector<uint64_t>(static_cast<size_t>(map.size()))
                     : gather_matrix(map, read_registers(context, step.operands[1]));
    for (uint32_t place = 0; place < matrix.size() && !context.failed(); ++place)
      memory->store(place, 0, matrix[place]);
    if (context.failed()) return Outcome::kStay;
  }
  record_requests(context, step, *memory);
  return Outcome::kNext;
}

}  // namespace warpledger::exec::reference
