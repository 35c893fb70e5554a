#include "warpledger/exec/machine/table.h"

#include <map>

#include "warpledger/base/check.h"

namespace warpledger::exec::machine {
namespace {

using M = MemoryClass;

Row with_modifiers(Row row, std::string_view words) {
  while (!words.empty()) {
    const size_t blank = std::min(words.find(' '), words.size());
    const auto modifier = find_modifier(words.substr(0, blank));
    WL_CHECK(modifier.has_value());
    row.modifiers.set(static_cast<size_t>(*modifier));
    words.remove_prefix(std::min(blank + 1, words.size()));
  }
  // Immediates of these are floating-point numbers, which a listing rounds.
  row.is_half = row.opcode.starts_with('H') && row.opcode.ends_with('2');
  const std::string_view name = row.opcode.substr(row.opcode.starts_with("UF") ? 1 : 0);
  for (const std::string_view opcode :
       {"FADD",   "FMUL",   "FFMA",   "FADD2", "FMUL2", "FFMA2", "FSETP",
        "FMNMX",  "FMNMX3", "FSEL",   "FSET",  "FCHK",  "MUFU",  "DADD",
        "DMUL",   "DFMA",   "DSETP",  "HADD2", "HMUL2", "HFMA2", "HSETP2",
        "HMNMX2", "HSET2",  "HSETP2", "F2FP",  "F2F",   "F2I",   "FRND"})
    row.is_float = row.is_float || name == opcode;
  return row;
}

const std::map<std::string_view, Row>& rows() {
  static const std::map<std::string_view, Row> all = [] {
    std::map<std::string_view, Row> made;
#define WL_LANE(name, function, on, memory_class, words) \
  made[#name] = with_modifiers(                          \
      {.opcode = #name, .lane = function, .pipe = Pipe::on, .memory = M::memory_class}, words);
#define WL_UNIFORM(name, function, words) \
  made[#name] = with_modifiers(           \
      {.opcode = #name, .lane = function, .pipe = Pipe::kUniform, .is_uniform = true}, words);
#define WL_WARP(name, function, on, memory_class, words) \
  made[#name] = with_modifiers(                          \
      {.opcode = #name, .warp = function, .pipe = Pipe::on, .memory = M::memory_class}, words);
#include "warpledger/exec/machine/opcodes.def"
#undef WL_LANE
#undef WL_UNIFORM
#undef WL_WARP
    return made;
  }();
  return all;
}

}  // namespace

const Row* find_row(std::string_view opcode) {
  const auto found = rows().find(opcode);
  return found == rows().end() ? nullptr : &found->second;
}

}  // namespace warpledger::exec::machine
