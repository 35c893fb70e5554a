// A cubin: its functions, what each asks for, and which PTX line each instruction came from.
#pragma once

#include <optional>

#include "warpledger/sass/cubin/line_table.h"

namespace warpledger::sass {

/// What a launch passes to a kernel, at its place among the parameters.
struct CubinParameter {
  uint32_t ordinal = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// A symbol of code. Several may lie in one section: subroutines that ptxas adds to a kernel.
struct CubinFunction {
  std::string_view name;
  uint16_t section = 0;
  uint64_t offset = 0;  // in its section
  uint64_t bytes = 0;
  bool is_entry = false;
  // From .nv.info; absent where the cubin does not say.
  std::optional<uint32_t> registers = {};
  std::optional<uint32_t> frame_bytes = {};      // its own stack frame
  std::optional<uint32_t> min_stack_bytes = {};  // with what it calls, as far as known
  std::optional<uint32_t> max_stack_bytes = {};
  uint64_t static_shared_bytes = 0;
  std::vector<CubinParameter> parameters = {};  // by ordinal
  std::optional<uint32_t> parameters_at = {};   // where they begin in constant bank 0
  /// Where each BRX may lead, by its address.
  std::map<uint64_t, std::vector<uint64_t>> indirect_targets = {};
};

/// Views point into the bytes that were read.
struct Cubin {
  Elf elf;
  std::vector<CubinFunction> functions;  // by section, then by offset
  LineTable ptx_lines;                   // empty without .nv_debug_line_sass
  bool has_ptx_lines = false;
  int architecture = 0;  // 86

  [[nodiscard]] const CubinFunction* find(std::string_view name) const;
};

[[nodiscard]] Result<Cubin> read_cubin(std::string_view bytes);

}  // namespace warpledger::sass
