#include "warpledger/exec/semantics/fragment_move.h"

#include <algorithm>

namespace warpledger::exec {
namespace {

using ptx::Modifier;

constexpr int kLines = 8;       // of a block
constexpr int kLineBits = 128;  // of a block

struct Position {
  int line = 0, at = 0;
};

class Planner {
 public:
  Planner(const MatrixTransfer& plan, FragmentMove& move) : plan_(plan), move_(move) {
    for (int reg = 0; reg < plan.map.registers(); ++reg) {
      if (!repeats(reg)) registers_.push_back(reg);
    }
  }

  /// Each register at its first element, whatever lies behind it.
  void whole_registers() {
    width(plan_.map.per_register() * plan_.map.element_bits);
    for (const int reg : registers_) first_elements(reg, 0);
  }
  void elements() {
    width(plan_.map.element_bits);
    for (const int reg : registers_) {
      for (int i = 0; i < plan_.map.per_register(); ++i) first_elements(reg, i);
    }
  }
  void pairs() {
    width(2 * plan_.map.element_bits);
    for (size_t i = 0; i < registers_.size(); i += 2) first_elements(registers_[i], 0);
  }
  /// Lane 4 l + q moves the q-th pair of line l, wherever its registers want them.
  void turned() {
    width(32);
    for (const int reg : registers_) {
      const Position origin = origin_of(reg);
      add([&](int lane) { return place(origin.line + lane / 4, origin.at + 2 * (lane % 4)); });
    }
  }
  void by_rows(size_t blocks) {
    move_.by_rows = true;
    width(kLineBits);
    for (size_t first = 0; first < registers_.size(); first += blocks) {
      const size_t count = std::min(blocks, registers_.size() - first);
      add([&](int lane) {
        const auto block = static_cast<size_t>(lane / kLines);
        if (block >= count) return FragmentMove::kNobody;
        const Position origin = origin_of(registers_[first + block]);
        return place(origin.line + lane % kLines, origin.at);
      });
    }
  }

  /// Do the elements of every register lie side by side?
  [[nodiscard]] bool is_packed() const {
    return every_lane([&](int lane, int reg) {
      for (int i = 1; i < plan_.map.per_register(); ++i) {
        if (!follows(position(lane, reg, i - 1), position(lane, reg, i))) return false;
      }
      return true;
    });
  }
  [[nodiscard]] bool is_paired() const {
    if (registers_.size() % 2 != 0) return false;
    for (size_t i = 0; i < registers_.size(); i += 2) {
      for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!follows(position(lane, registers_[i], 0), position(lane, registers_[i + 1], 0)))
          return false;
      }
    }
    return true;
  }
  /// Does every register of the warp hold a block of 8 lines of 16 bytes?
  [[nodiscard]] bool has_blocks() const {
    return every_lane([&](int lane, int reg) {
      const Position origin = origin_of(reg);
      for (int i = 0; i < plan_.map.per_register(); ++i) {
        const Position p = position(lane, reg, i);
        if (p.line - origin.line >= kLines) return false;
        if ((p.at - origin.at) * plan_.map.element_bits >= kLineBits) return false;
      }
      return true;
    });
  }

 private:
  template <class Place>
  void add(Place place) {
    PerLane<uint32_t> request;
    for (int lane = 0; lane < kWarpSize; ++lane) request[static_cast<size_t>(lane)] = place(lane);
    move_.requests.push_back(request);
  }
  void first_elements(int reg, int element) {
    add([&](int lane) { return element_of(lane, reg, element); });
  }
  void width(int bits) { move_.width = static_cast<uint8_t>(std::max(8, bits) / 8); }

  [[nodiscard]] uint32_t element_of(int lane, int reg, int i) const {
    const int index = lane * plan_.map.elements + reg * plan_.map.per_register() + i;
    return plan_.map.place[static_cast<size_t>(index)];
  }
  [[nodiscard]] uint32_t place(int line, int at) const {
    const int row = plan_.column_major ? at : line, col = plan_.column_major ? line : at;
    return static_cast<uint32_t>(row * plan_.map.cols + col);
  }
  [[nodiscard]] Position position(int lane, int reg, int i) const {
    const auto place = static_cast<int>(element_of(lane, reg, i));
    const int row = place / plan_.map.cols, col = place % plan_.map.cols;
    return plan_.column_major ? Position{col, row} : Position{row, col};
  }
  [[nodiscard]] static bool follows(const Position& a, const Position& b) {
    return a.line == b.line && a.at + 1 == b.at;
  }
  [[nodiscard]] Position origin_of(int reg) const {
    Position origin = position(0, reg, 0);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      for (int i = 0; i < plan_.map.per_register(); ++i) {
        const Position p = position(lane, reg, i);
        origin = {std::min(origin.line, p.line), std::min(origin.at, p.at)};
      }
    }
    return origin;
  }
  template <class Holds>
  [[nodiscard]] bool every_lane(Holds holds) const {
    return std::all_of(registers_.begin(), registers_.end(), [&](int reg) {
      for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!holds(lane, reg)) return false;
      }
      return true;
    });
  }
  /// Half fragments since sm_75 hold every element twice: the copy is not moved again.
  [[nodiscard]] bool repeats(int reg) const {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      bool seen = false;
      for (int other = 0; other < reg; ++other)
        seen |= element_of(lane, other, 0) == element_of(lane, reg, 0);
      if (!seen) return false;
    }
    return reg > 0;
  }

  const MatrixTransfer& plan_;
  FragmentMove& move_;
  std::vector<int> registers_;
};

}  // namespace

Result<FragmentMove> plan_move(const ptx::Spelling& spelling, int arch) {
  FragmentMove move;
  WL_TRY(move.plan, plan_transfer(spelling, arch));
  Planner planner(move.plan, move);
  const int bits = move.plan.map.element_bits;
  const bool factor = spelling.has(Modifier::kA) || spelling.has(Modifier::kB);
  const bool from_shared = spelling.space() == ptx::Space::kShared && factor;
  const bool packed = planner.is_packed(), blocks = planner.has_blocks();
  if (arch < 75) {
    planner.whole_registers();
  } else if (from_shared && blocks && (bits == 16 || (bits < 16 && packed))) {
    planner.by_rows(arch >= 80 && bits == 16 ? 4 : 2);
  } else if (bits == 16 && !packed && blocks) {
    planner.turned();
  } else if (bits >= 32 && planner.is_paired()) {
    planner.pairs();
  } else if (packed) {
    planner.whole_registers();
  } else {
    planner.elements();
  }
  return move;
}

}  // namespace warpledger::exec
