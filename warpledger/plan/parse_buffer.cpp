#include <fmt/format.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/plan/parser.h"
#include "warpledger/plan/tensor_memory.h"

namespace warpledger::plan {
namespace {

constexpr int64_t kMaxRing = 64;
constexpr size_t kMaxSlots = 256;
constexpr int64_t kMaxAlignment = 65536;
constexpr int64_t kColumnAlignment = 4;  // what Triton's TMEM allocator keeps (facts, section 1.1)

const std::vector<std::string> kSharedClauses = {"live", "ring", "slots", "apart",  "align",
                                                 "at",   "load", "note",  "swizzle"};
const std::vector<std::string> kTensorClauses = {
    "live", "ring",   "slots",  "apart",       "align", "at",      "load",
    "note", "layout", "writes", "accumulator", "half",  "columns", "duplicated"};

/// A swizzle's pattern repeats over eight of its rows: the buffer starts where it repeats.
struct Swizzle {
  const char* name;
  int bytes;
  int64_t alignment;
};
constexpr Swizzle kSwizzles[] = {
    {"none", 0, 16}, {"32B", 32, 256}, {"64B", 64, 512}, {"128B", 128, 1024}};

bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

Status Parser::buffer_statement(Space space) {
  Clauses clauses;
  WL_TRY(Buffer one, buffer(space, clauses));
  WL_TRY_STATUS(lay_out_slots(one, clauses));
  return add(std::move(one));
}

Status Parser::add(Buffer one) {
  const auto same = [&](const Buffer& other) { return other.name == one.name; };
  if (std::any_of(plan_.buffers.begin(), plan_.buffers.end(), same)) {
    return Diagnostic{.message = fmt::format("a buffer is already called '{}'", one.name),
                      .code = "duplicate-name",
                      .at = one.where};
  }
  size_t slots = one.slots.size();
  for (const Buffer& other : plan_.buffers) slots += other.slots.size();
  if (slots > kMaxSlots) {
    return Diagnostic{.message = fmt::format("more than {} places to assign", kMaxSlots),
                      .hint = "a ring without 'apart' and 'slots' is one place",
                      .code = "too-large",
                      .at = one.where};
  }
  plan_.buffers.push_back(std::move(one));
  return {};
}

Result<Buffer> Parser::buffer(Space space, Clauses& clauses) {
  Buffer one;
  one.space = space;
  WL_TRY(const Token name, expect_name("the name of a buffer"));
  one.name = std::string(name.text);
  one.where = source_.locate(name.span);
  if (name.text.find('.') != std::string_view::npos ||
      (name.text[0] >= '0' && name.text[0] <= '9')) {
    return fault(name.span, fmt::format("'{}' cannot be the name of a C++ member", name.text), "",
                 "bad-name");
  }
  WL_TRY(const Token type, expect_name("an element type"));
  const auto dtype = find_dtype(type.text);
  if (!dtype) {
    std::string hint = did_you_mean(type.text, dtype_names());
    if (hint.empty()) hint = fmt::format("types are {}", fmt::join(dtype_names(), ", "));
    return fault(type.span, fmt::format("unknown element type '{}'", type.text), hint,
                 "unknown-type");
  }
  one.dtype = *dtype;
  WL_TRY(one.shape, shape());
  clauses.where = peek().span;
  while (!at_line_end()) {
    WL_TRY_STATUS(clause(one, clauses));
  }
  WL_TRY_STATUS(measure(one, clauses));
  return one;
}

Status Parser::clause(Buffer& one, Clauses& clauses) {
  const Token word = next();
  if (word.is("live")) {
    WL_TRY(clauses.lives, lifetimes());
    return {};
  }
  if (word.is("ring")) return ring_clause(clauses);
  if (word.is("slots")) return slots_clause(clauses);
  if (word.is("apart")) return clauses.is_apart = true, Status();
  if (word.is("load")) return one.is_loaded = true, Status();
  if (word.is("at")) return at_clause(clauses);
  if (word.is("align")) {
    WL_TRY(clauses.alignment, number_in("an alignment", 1, kMaxAlignment));
    if (is_power_of_two(*clauses.alignment)) return {};
    return fault(word.span, "an alignment is a power of two", "", "alignment");
  }
  if (word.is("note")) {
    if (peek().kind != Token::Kind::kString) {
      return fault(peek().span, "a note must be in quotes", "", "syntax");
    }
    one.note = std::string(next().text);
    return {};
  }
  if (word.is("swizzle") && one.space == Space::kShared) {
    const Token mode = next();
    clauses.swizzle = mode.span;
    for (const Swizzle& swizzle : kSwizzles) {
      if (mode.text != swizzle.name) continue;
      one.swizzle_bytes = swizzle.bytes;
      one.alignment = swizzle.alignment;
      return {};
    }
    return fault(mode.span, fmt::format("unknown swizzle '{}'", mode.text),
                 "none, 32B, 64B or 128B", "unknown-swizzle");
  }
  if (one.space == Space::kTensor) return tensor_clause(word, one, clauses);
  return fault(word.span, fmt::format("a buffer in shared memory has no '{}'", word.text),
               did_you_mean(word.text, kSharedClauses), "unknown-clause");
}

Status Parser::tensor_clause(const Token& word, Buffer& one, Clauses& clauses) {
  if (word.is("layout")) {
    const Token layout = next();
    if (layout.text.size() != 1) {
      return fault(layout.span, "a data path layout is one letter", "A to G", "tensor-layout");
    }
    one.form.layout = layout.text[0];
    return {};
  }
  if (word.is("accumulator")) return one.form.is_accumulator = true, Status();
  if (word.is("duplicated")) return one.form.is_duplicated = true, Status();
  if (word.is("writes")) {
    WL_TRY(one.form.written, shape());
    return {};
  }
  if (word.is("columns")) {
    WL_TRY(clauses.columns, number_in("a number of columns", 1, kTensorColumns));
    return {};
  }
  if (word.is("half")) {
    WL_TRY(const int64_t half, number_in("a half", 0, 1));
    one.form.half = static_cast<int>(half);
    return {};
  }
  return fault(word.span, fmt::format("a tensor in TMEM has no '{}'", word.text),
               did_you_mean(word.text, kTensorClauses), "unknown-clause");
}

Status Parser::ring_clause(Clauses& clauses) {
  WL_TRY(clauses.ring, number_in("a ring", 1, kMaxRing));
  return {};
}

Status Parser::slots_clause(Clauses& clauses) {
  SlotLives some{};
  WL_TRY(some.from, number_in("a slot", 0, kMaxRing - 1));
  some.to = some.from;
  if (accept("..")) {
    some.to = kMaxRing;
    if (!peek().is("live")) {
      WL_TRY(some.to, number_in("a slot", some.from, kMaxRing - 1));
    }
  }
  WL_TRY_STATUS(expect("live"));
  WL_TRY(some.lives, lifetimes());
  clauses.slot_lives.push_back(std::move(some));
  return {};
}

Status Parser::at_clause(Clauses& clauses) {
  const bool is_list = accept("[");
  do {
    WL_TRY(const int64_t offset, number_in("an offset", 0, int64_t{1} << 30));
    clauses.at.push_back(offset);
  } while (is_list && accept(","));
  if (is_list) return expect("]");
  return {};
}

Status Parser::measure(Buffer& one, const Clauses& clauses) {
  if (one.space == Space::kTensor) {
    one.alignment = clauses.alignment.value_or(kColumnAlignment);
    if (clauses.columns) {
      one.size = *clauses.columns;
    } else {
      WL_TRY(one.size, columns_of(one, plan_.cta_group));
    }
  } else {
    one.size = tensor_bytes(one);
    const int64_t natural = std::max(1, one.dtype.bits / 8);
    const int64_t least = std::max(one.alignment, natural);
    one.alignment = clauses.alignment.value_or(least);
    if (one.alignment < least) {
      const std::string reason =
          clauses.swizzle
              ? fmt::format("a {}-byte swizzle repeats every {} bytes", one.swizzle_bytes, least)
              : fmt::format("one {} has {} bytes", one.dtype.name, least);
      return fault(clauses.where, fmt::format("an alignment of {} is too small", one.alignment),
                   reason, "alignment");
    }
  }
  one.ring = static_cast<int>(clauses.ring);
  one.stride = round_up(one.size, one.alignment);
  if (one.is_loaded) one.bytes_in_flight = (one.ring - 1) * tensor_bytes(one);
  return {};
}

/// One slot for a whole ring; one for each element when they live at different times or `apart`.
Status Parser::lay_out_slots(Buffer& one, const Clauses& clauses) {
  std::vector<Lifetime> usual = clauses.lives;
  if (usual.empty()) usual.push_back(Lifetime{});
  const bool is_apart = clauses.is_apart || !clauses.slot_lives.empty() || clauses.at.size() > 1;
  if (!is_apart) {
    one.slots.push_back({0, one.ring, usual, std::nullopt});
  }
  for (int number = 0; is_apart && number < one.ring; ++number) {
    Slot slot{number, 1, usual, std::nullopt};
    for (const SlotLives& some : clauses.slot_lives) {
      if (number >= some.from && number <= some.to) slot.lives = some.lives;
    }
    one.slots.push_back(std::move(slot));
  }
  if (clauses.at.empty()) return {};
  if (clauses.at.size() != 1 && clauses.at.size() != one.slots.size()) {
    return fault(clauses.where,
                 fmt::format("{} offsets for {} slots", clauses.at.size(), one.slots.size()),
                 "give one for each slot, or the first alone", "offset-count");
  }
  for (Slot& slot : one.slots) {
    slot.at = clauses.at.size() == 1 ? clauses.at[0] + slot.first * one.stride
                                     : clauses.at[static_cast<size_t>(slot.first)];
  }
  return {};
}

}  // namespace warpledger::plan
