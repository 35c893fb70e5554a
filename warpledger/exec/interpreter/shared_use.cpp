#include "warpledger/exec/interpreter/shared_use.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

std::string line_of(const Engine& engine, const Step& step) {
  const auto at = engine.image().module().source->locate(step.instruction->span);
  return fmt::format("'{}' of line {}", step.spelling().text, at.line);
}

/// The instruction in flight that reads one of the chunks of [offset, offset + size); null: none.
const Step* reader_of(const Cta& owner, uint64_t offset, uint64_t size) {
  const SharedUse& use = owner.use;
  if (use.reading == 0 || size == 0) return nullptr;
  const uint64_t last =
      std::min<uint64_t>((offset + size - 1) / kChunkBytes, use.readers.size() - 1);
  for (uint64_t chunk = offset / kChunkBytes; chunk <= last; ++chunk) {
    if (use.readers[chunk] != 0) return use.read_last[chunk];
  }
  return nullptr;
}

void report(const Context& context, const Step& step, int lane, const Step& reader) {
  context.fault(
      step, lane,
      fmt::format("writes shared memory that {} still reads", line_of(context.engine, reader)),
      "operand-overwritten", "wait for that instruction first");
}

}  // namespace

bool note_write(const Context& context, const SpaceAddress& at, uint64_t size, int lane) {
  Cta* owner = at.space == ptx::Space::kSharedCluster
                   ? owner_of(context.engine, context.cta, at.offset)
                   : &context.cta;
  SharedUse& use = owner->use;
  const bool is_used = !use.mode.empty() || use.reading != 0;
  const bool guesses = !context.engine.slice().guessed.empty();
  if (!is_used && !guesses) return true;
  const uint64_t offset =
      at.space == ptx::Space::kSharedCluster ? offset_in_cta(at.offset) : at.offset;
  const Step& step = context.frame().code->steps[context.here().pc];
  if (guesses) note_values(context.engine, *owner, step, offset, size);
  if (!is_used) return true;
  if (const Step* reader = reader_of(*owner, offset, size)) {
    report(context, step, lane, *reader);
    return false;
  }
  if (!use.mode.empty() && size != 0) {
    for (uint64_t c = offset / kChunkBytes; c <= (offset + size - 1) / kChunkBytes; ++c)
      use.mode[c] = 0;
  }
  return true;
}

bool note_copy(const Context& context, const Step& step, int lane, Cta& owner,
               const BulkBytes& what) {
  if (!context.engine.slice().guessed.empty()) {
    for (const BulkBytes::Piece& piece : what.pieces)
      note_values(context.engine, owner, step, piece.shared, piece.size);
  }
  if (owner.use.reading == 0) return true;
  for (const BulkBytes::Piece& piece : what.pieces) {
    const Step* reader = reader_of(owner, piece.shared, piece.size);
    if (reader == nullptr) continue;
    report(context, step, lane, *reader);
    return false;
  }
  return true;
}

void note_values(const Engine& engine, Cta& owner, const Step& step, uint64_t offset,
                 uint64_t size) {
  const std::vector<SharedRange>& guessed = engine.slice().guessed;
  for (size_t i = 0; i < guessed.size(); ++i) {
    if (!guessed[i].meets({offset, offset + size})) continue;
    const uint64_t bit = uint64_t{1} << i;
    owner.use.spoiled = step.dropped ? owner.use.spoiled | bit : owner.use.spoiled & ~bit;
  }
}

bool has_values(const Engine& engine, const Cta& owner, uint64_t offset, uint64_t size) {
  if (owner.use.spoiled == 0) return true;
  const std::vector<SharedRange>& guessed = engine.slice().guessed;
  for (size_t i = 0; i < guessed.size(); ++i) {
    const bool spoiled = (owner.use.spoiled >> i & 1) != 0;
    if (spoiled && guessed[i].meets({offset, offset + size})) return false;
  }
  return true;
}

void begin_reads(Cta& cta, const Step& step, std::span<const uint32_t> chunks) {
  SharedUse& use = cta.use;
  const size_t size = (cta.shared.size() + kChunkBytes - 1) / kChunkBytes;
  if (use.readers.size() != size) {
    use.readers.assign(size, 0);
    use.read_last.assign(size, nullptr);
  }
  for (const uint32_t chunk : chunks) {
    ++use.readers[chunk];
    use.read_last[chunk] = &step;
  }
  use.reading += chunks.size();
}

void end_reads(Cta& cta, std::span<const uint32_t> chunks) {
  for (const uint32_t chunk : chunks) --cta.use.readers[chunk];
  cta.use.reading -= chunks.size();
}

}  // namespace warpledger::exec::reference
