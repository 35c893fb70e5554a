#include "warpledger/exec/interpreter/shared_use.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "warpledger/base/check.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

std::string line_of(const Engine& engine, const Step& step) {
  const auto at = engine.image().module().source->locate(step.instruction->span);
  return fmt::format("'{}' of line {}", step.spelling().text, at.line);
}

/// Whether something in flight may read there: the range of all its pieces meets [low, end).
bool may_be_read(const SharedUse& use, uint64_t low, uint64_t end) {
  return std::ranges::any_of(use.readers, [&](const SharedReader& reader) {
    return reader.pieces->first * kChunkBytes < end &&
           low < (uint64_t{reader.pieces->last} + 1) * kChunkBytes;
  });
}

bool may_be_read(const SharedUse& use, const BulkBytes& what) {
  uint64_t low = UINT64_MAX, end = 0;
  for (const BulkBytes::Piece& piece : what.pieces) {
    low = std::min<uint64_t>(low, piece.shared);
    end = std::max<uint64_t>(end, uint64_t{piece.shared} + piece.size);
  }
  return may_be_read(use, low, end);
}

void report(const Context& context, const Step& step, int lane, const Step& reader) {
  context.fault(
      step, lane,
      fmt::format("writes shared memory that {} still reads", line_of(context.engine, reader)),
      "operand-overwritten", "wait for that instruction first");
}

}  // namespace

const Step* find_reader(const SharedUse& use, uint64_t offset, uint64_t size) {
  if (size == 0) return nullptr;
  const uint64_t first = offset / kChunkBytes, last = (offset + size - 1) / kChunkBytes;
  const auto is_hit = [&](uint32_t piece) { return first <= piece && piece <= last; };
  for (const SharedReader& reader : std::views::reverse(use.readers)) {
    const SharedPieces& pieces = *reader.pieces;
    if (pieces.first > last || pieces.last < first) continue;
    if (std::ranges::any_of(pieces.numbers, is_hit)) return reader.step;
  }
  return nullptr;
}

bool concerns_nobody(const SharedUse& use, std::span<const SharedRange> guessed, uint64_t low,
                     uint64_t end) {
  if (!use.mode.empty() || may_be_read(use, low, end)) return false;
  return std::ranges::none_of(guessed, [&](const SharedRange& guess) {
    return guess.meets({low, end});
  });
}

bool note_write(const Context& context, const SpaceAddress& at, uint64_t size, int lane) {
  Cta* owner = at.space == ptx::Space::kSharedCluster
                   ? owner_of(context.engine, context.cta, at.offset)
                   : &context.cta;
  SharedUse& use = owner->use;
  const bool is_used = !use.mode.empty() || !use.readers.empty();
  const bool guesses = !context.engine.slice().guessed.empty();
  if (!is_used && !guesses) return true;
  const uint64_t offset =
      at.space == ptx::Space::kSharedCluster ? offset_in_cta(at.offset) : at.offset;
  const Step& step = context.frame().code->steps[context.here().pc];
  if (guesses) note_values(context.engine, *owner, step, offset, size);
  if (!is_used) return true;
  if (const Step* reader = find_reader(use, offset, size)) {
    report(context, step, lane, *reader);
    return false;
  }
  if (!use.mode.empty() && size != 0) note_mode(use, offset, size, 0);
  return true;
}

bool note_copy(const Context& context, const Step& step, int lane, Cta& owner,
               const BulkBytes& what) {
  if (!context.engine.slice().guessed.empty()) {
    for (const BulkBytes::Piece& piece : what.pieces)
      note_values(context.engine, owner, step, piece.shared, piece.size);
  }
  if (!may_be_read(owner.use, what)) return true;
  for (const BulkBytes::Piece& piece : what.pieces) {
    const Step* reader = find_reader(owner.use, piece.shared, piece.size);
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

void note_mode(SharedUse& use, uint64_t offset, uint64_t size, uint8_t mode) {
  const uint64_t last = (offset + size - 1) / kChunkBytes;
  for (uint64_t chunk = offset / kChunkBytes; chunk <= last; ++chunk) {
    use.mode_changes += use.mode[chunk] != mode ? 1 : 0;
    use.mode[chunk] = mode;
  }
}

void begin_reads(SharedUse& use, const Step& step, const KnownOperands& operands) {
  for (const auto& operand : operands) {
    if (operand != nullptr) use.readers.push_back({&step, &operand->pieces});
  }
}

void end_reads(SharedUse& use, const KnownOperands& operands) {
  for (const auto& operand : operands) {
    if (operand == nullptr) continue;
    const auto found = std::ranges::find(use.readers, &operand->pieces, &SharedReader::pieces);
    WL_CHECK(found != use.readers.end());
    use.readers.erase(found);
  }
}

}  // namespace warpledger::exec::reference
