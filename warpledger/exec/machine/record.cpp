#include "warpledger/exec/machine/record.h"

#include <algorithm>

#include "warpledger/exec/decode/access_record.h"
#include "warpledger/exec/machine/memory.h"
#include "warpledger/exec/machine/shared.h"
#include "warpledger/exec/machine/sites.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::machine {
namespace {

/// Lanes that supply rows to LDSM and STSM: eight for each matrix.
Lanes rows_of(const Instruction& instruction) {
  if (instruction.has(Modifier::k4)) return ~0U;
  return instruction.has(Modifier::k2) ? 0xffff : 0xff;
}

uint64_t address_of(Context& context, const Instruction& instruction, int number) {
  Lane lane(context, number);
  if (instruction.row->memory == MemoryClass::kConstant) {
    const Operand& from = instruction.operands.back();
    const Operand base{.kind = OperandKind::kRegister, .index = static_cast<uint8_t>(from.base)};
    return static_cast<uint64_t>(from.offset) + (from.base < 0 ? 0 : lane.word(base));
  }
  return lane.address(address_operand(instruction));
}

}  // namespace

Recorder::Recorder(Program& program, bool records)
    : records_(records), sites_(plan_sites(program)) {}

void Recorder::note(Context& context, const Instruction& instruction, Lanes active) {
  note_wait(context, instruction);
  if (instruction.site == kNoSite) return;
  const trace::Site& site = sites_[instruction.site];
  // The instructions themselves call note_run(), note_operand() and note_cells().
  const bool by_itself = site.space == trace::Space::kTensor ||
                         site.kind == trace::Kind::kMatrixOperand ||
                         site.kind == trace::Kind::kTensorCopy;
  if (trace::is_bulk(site.kind) || by_itself) return;
  const bool returns = site.kind != trace::Kind::kStore && site.kind != trace::Kind::kStoreMatrix &&
                       site.kind != trace::Kind::kReduction;
  if (trace::is_far(site) && returns && instruction.control.sets != sass::Control::kNone)
    context.warp->loading |= 1U << instruction.control.sets;
  if (site.kind == trace::Kind::kAsyncCopy) return note_copy(context, instruction, active);
  Accessed accessed{.lanes = active};
  const bool by_rows =
      site.kind == trace::Kind::kLoadMatrix || site.kind == trace::Kind::kStoreMatrix;
  if (active != 0 && by_rows) accessed.lanes = rows_of(instruction);
  for_each_lane(accessed.lanes, [&](int lane) {
    accessed.address[static_cast<size_t>(lane)] = address_of(context, instruction, lane);
  });
  note_generic(context, instruction, accessed);
}

/// The first instruction that waits for a scoreboard of a load ends the batch of loads that are in
/// flight together (trace.h).
void Recorder::note_wait(Context& context, const Instruction& instruction) {
  if ((instruction.control.waits & context.warp->loading) == 0) return;
  context.warp->loading = 0;
  if (!records_) return;
  const auto number =
      static_cast<uint32_t>(&instruction - context.loaded.program.instructions.data());
  context.buffer->push(trace::mark(trace::Mark::kUse, 0, number));
}

void Recorder::note_run(Context& context, const Instruction& instruction, uint32_t further,
                        uint64_t address, uint64_t bytes) {
  const uint32_t site = instruction.site + further;
  const bool is_shared = sites_[site].space == trace::Space::kShared;
  if (is_shared)
    address = (address & kOffsetMask) - context.loaded.layout->shared_begin;
  else
    counted_.by_space[static_cast<size_t>(trace::Space::kGlobal)].bytes += bytes;
  if (records_ && bytes != 0) context.buffer->push_bulk(address, bytes, site);
}

void Recorder::note_operand(Context& context, const Instruction& instruction, uint32_t further,
                            const SharedSource& source) {
  const std::vector<uint32_t> chunks = source.shape.in_order(source.chunks, source.first);
  for (size_t at = 0; at < chunks.size(); at += kWarpSize) {
    const size_t held = std::min<size_t>(kWarpSize, chunks.size() - at);
    Accessed accessed{.lanes = held == kWarpSize ? ~Lanes{0} : (Lanes{1} << held) - 1};
    std::copy_n(chunks.begin() + static_cast<std::ptrdiff_t>(at), held, accessed.address.begin());
    write(context, instruction.site + further, accessed);
  }
}

void Recorder::note_cells(Context& context, const Instruction& instruction, uint32_t further,
                          TensorAddress at, uint32_t columns, uint64_t bytes) {
  const trace::TensorPlace place{columns, at.lane, at.column};
  if (records_) context.buffer->push_bulk(place.address(), bytes, instruction.site + further);
}

/// LDGSTS: lanes whose predicate is false read nothing and write zeros.
void Recorder::note_copy(Context& context, const Instruction& instruction, Lanes active) {
  Accessed from, to{.lanes = active};
  const auto& operands = instruction.operands;
  for_each_lane(active, [&](int number) {
    Lane lane(context, number);
    const auto at = static_cast<size_t>(number);
    to.address[at] = static_cast<uint32_t>(lane.address(operands[0]));
    if (is_predicate(operands.back()) && !lane.predicate(operands.back())) return;
    from.lanes |= 1U << number;
    from.address[at] = copy_source(lane, instruction).address;
  });
  write(context, instruction.site, from);
  write(context, instruction.site + 1, to);
}

/// Lanes by the window that their address lies in; all lanes if the instruction has a fixed space.
void Recorder::note_generic(Context& context, const Instruction& instruction,
                            const Accessed& accessed) {
  const uint32_t site = instruction.site;
  const bool is_generic =
      site + 2 < sites_.size() && sites_[site + 2].instruction == sites_[site].instruction;
  if (!is_generic || accessed.lanes == 0) {
    Accessed narrow = accessed;
    if (sites_[site].space != trace::Space::kGlobal)
      for (uint64_t& address : narrow.address) address = static_cast<uint32_t>(address);
    return write(context, site, narrow);
  }
  Accessed in_space[3];
  for_each_lane(accessed.lanes, [&](int lane) {
    const uint64_t address = accessed.address[static_cast<size_t>(lane)];
    const bool shared = address - kSharedWindow < kWindowBytes;
    const bool local = address - kLocalWindow < kWindowBytes;
    Accessed& one = in_space[shared ? 1 : local ? 2 : 0];
    one.lanes |= 1U << lane;
    one.address[static_cast<size_t>(lane)] =
        shared || local ? static_cast<uint32_t>(address) : address;
  });
  for (uint32_t i = 0; i < 3; ++i) {
    if (in_space[i].lanes != 0) write(context, site + i, in_space[i]);
  }
}

/// Shared memory is told from a kernel's own first byte on, as PTX has it; what is the system's is
/// not told.
void Recorder::write(Context& context, uint32_t site, Accessed accessed) {
  const auto space = static_cast<size_t>(sites_[site].space);
  const bool executes = accessed.lanes != 0;
  if (sites_[site].space == trace::Space::kShared)
    for_each_lane(accessed.lanes, [&](int lane) {
      uint64_t& address = accessed.address[static_cast<size_t>(lane)];
      if ((address & kOffsetMask) < context.loaded.layout->shared_begin)
        accessed.lanes &= ~(1U << lane);
      address = (address & kOffsetMask) - context.loaded.layout->shared_begin;
    });
  if (executes && accessed.lanes == 0) return;
  if (space < counted_.by_space.size())
    count_access(counted_.by_space[space], sites_[site], accessed.lanes, sites_[site].width);
  if (records_) write_access(*context.buffer, shapes_, site, accessed.lanes, accessed.address);
}

void Recorder::note_barrier(Context& context, uint32_t id, uint32_t threads, Lanes lanes,
                            bool waits) {
  ++counted_.barriers;
  if (!records_) return;
  const Extent& block = context.launch.block;
  const bool whole = threads >= block[0] * block[1] * block[2];
  const uint32_t part = lanes == context.warp->live ? 0 : trace::kPartOfWarp;
  context.buffer->push(trace::mark(waits ? trace::Mark::kBarrier : trace::Mark::kArrive,
                                   whole ? 0 : threads / kWarpSize, id | part));
}

}  // namespace warpledger::exec::machine
