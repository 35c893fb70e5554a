// What an instruction sees while it executes: its warp, its active lanes, values, bytes, faults.
#pragma once

#include <optional>

#include "warpledger/exec/interpreter/state.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/trace/sink.h"

namespace warpledger::exec::reference {

class Engine;

enum class Access : uint8_t { kRead, kWrite, kAtomic };

struct Context {
  Engine& engine;
  Cta& cta;
  Warp& warp;
  uint32_t fragment = 0;  // in warp.fragments; handlers that add fragments must not keep references
  uint32_t activation = 0;  // in warp.activations
  Lanes lanes = 0;          // of the fragment, the guard respected
  // Compiled code counts this step's accesses by blocks (jit/counts.h): record() must not.
  bool counted_by_blocks = false;

  [[nodiscard]] Fragment& here() const { return warp.fragments[fragment]; }
  [[nodiscard]] Activation& frame() const { return warp.activations[activation]; }

  // Values. read() gives the bits in the low end; write() cuts them to the register's size.
  [[nodiscard]] uint64_t read(const Value& value, int lane) const;
  void write(const Value& value, int lane, uint64_t bits) const;
  /// The `word`-th 64 bits of a register that has more.
  [[nodiscard]] uint64_t read_word(const Value& value, int lane, uint32_t word) const;
  void write_word(const Value& value, int lane, uint32_t word, uint64_t bits) const;
  [[nodiscard]] std::span<const Value> children(const Value& list) const;
  /// A list's children, or the value itself.
  [[nodiscard]] std::span<const Value> elements(const Value& value) const;

  /// The address that an operand [..] names, in `space` (kGeneric: resolved by the window).
  [[nodiscard]] SpaceAddress address(const Value& value, ptx::Space space, int lane) const;
  /// Shared memory of a cluster: which CTA's. See cluster.h.
  [[nodiscard]] SpaceAddress placed(const SpaceAddress& at) const;
  /// The host bytes of an access; on a bad one records a fault and gives null. What an address-only
  /// launch does to global memory is watched here, for both engines.
  [[nodiscard]] std::byte* bytes(const SpaceAddress& at, uint64_t size, int lane,
                                 Access access) const;
  /// False after a fault: the values of `size` bytes at a global address are needed and not there.
  bool watch(uint64_t address, uint64_t size, int lane, Access access) const;

  /// Ends the launch: `message` with kernel, block, thread, PTX line and source line added.
  void fault(const Step& step, int lane, std::string message, std::string code,
             std::string hint = {}, Fallback fallback = Fallback::kNone) const;
  /// The fault of an address-only launch that would need values; with them it runs.
  void fault_for_values(const Step& step, int lane) const;
  [[nodiscard]] bool failed() const;

  /// For instructions of a whole warp (others: meeting.h). Waits until every lane of `wanted` that
  /// is alive executes this very one. True when they are all here: `lanes` is then all of them, and
  /// the others have been moved on. False: the fragment waits, the instruction must answer kStay.
  [[nodiscard]] bool gather(Lanes wanted);
};

/// One warp-wide access for the trace.
struct Accessed {
  Lanes lanes = 0;
  PerLane<uint64_t> address = {};
};
/// Writes the record, and counts the access unless compiled code does.
void record(const Context& context, const Step& step, ptx::Space space, uint32_t site_offset,
            const Accessed& accessed, uint64_t bytes_per_lane);
/// The record alone.
void write_record(const Context& context, uint32_t site, const Accessed& accessed);
/// A load, a store or an atomic of both engines: one record for each space that the lanes touch,
/// since an instruction with a generic address may touch several. `places`: of context.lanes.
void record_spaces(const Context& context, const Step& step, const PerLane<SpaceAddress>& places,
                   uint64_t bytes_per_lane);

}  // namespace warpledger::exec::reference
