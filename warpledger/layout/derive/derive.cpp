#include "warpledger/layout/derive/derive.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/file.h"
#include "warpledger/layout/catalog/rules.h"
#include "warpledger/layout/derive/lane_machine.h"
#include "warpledger/layout/derive/tracer.h"
#include "warpledger/toolchain/nvdisasm.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::derive {
namespace {

Result<std::string> tool_or_found(const std::string& path, std::string_view name) {
  if (!path.empty()) return path;
  return toolchain::find_tool(name);
}

Result<std::vector<sass::Function>> assemble(const std::vector<FragmentKey>& keys,
                                             const Tools& tools) {
  WL_TRY(const std::string ptxas, tool_or_found(tools.ptxas, "ptxas"));
  WL_TRY(const std::string nvdisasm, tool_or_found(tools.nvdisasm, "nvdisasm"));
  const auto assembled =
      toolchain::run_ptxas({ptxas}, tracer_ptx(keys), fmt::format("sm_{}", keys[0].arch));
  if (!assembled) {
    Diagnostic fault = assembled.error();
    if (keys[0].arch < 75) fault.hint = "CUDA 13 dropped sm_70: pass --ptxas of CUDA 12";
    return fault;
  }
  WL_TRY(const std::string listing,
         toolchain::run_nvdisasm(nvdisasm, assembled->cubin, toolchain::ListingForm::kText));
  return sass::read_listing(listing);
}

/// The element of the matrix that bit `at` of the dump belongs to; nothing when it is none's first.
std::optional<int64_t> element_at(const Dump& dump, int64_t at, int bits) {
  const auto found = dump.find(at / 8);
  const int64_t byte = found == dump.end() ? -1 : found->second - 256;
  if (byte < 0 || (byte * 8 + at % 8) % bits != 0) return std::nullopt;
  return (byte * 8 + at % 8) / bits;
}

Result<Layout> observed_layout(const FragmentKey& key, const Dump& dump) {
  const int bits = bits_of(key.element);
  const int elements = load_registers(key) * (key.element == Element::kF64 ? 64 : 32) / bits;
  const auto [m, n, k] = key.shape;
  const Space to(
      {{"row", key.operand == Operand::kB ? k : m}, {"col", key.operand == Operand::kA ? k : n}});
  const Space from({{"register", elements}, {"lane", 32}});
  std::vector<uint64_t> values;
  for (int64_t x = 0; x < from.size(); ++x) {
    const int64_t index = element_at(dump, x * bits, bits).value_or(-1);
    std::vector<int64_t> at = {index / tracer_stride(key), index % tracer_stride(key)};
    if (key.column_major) std::swap(at[0], at[1]);
    if (index < 0 || !to.contains(at)) {
      return Diagnostic{
          .message = fmt::format("{}: {} does not hold an element of the matrix", name_of(key),
                                 point_text(from, static_cast<uint64_t>(x))),
          .code = "cannot-derive"};
    }
    values.push_back(to.pack(at));
  }
  return Layout(from, to, std::move(values));
}

Result<Derived> follow(const FragmentKey& key, const std::vector<sass::Function>& functions) {
  const auto function =
      std::find_if(functions.begin(), functions.end(),
                   [&](const auto& candidate) { return candidate.name == kernel_name(key); });
  if (function == functions.end()) {
    return Diagnostic{.message = fmt::format("no code for '{}'", kernel_name(key)),
                      .code = "cannot-derive"};
  }
  WL_TRY(const Dump dump, run_tracer(*function, parameter_offset(key.arch)));
  WL_TRY(Layout observed, observed_layout(key, dump));
  Derived derived{.key = key, .fit = fit(observed), .observed = std::move(observed)};
  const auto known = find_fragment(key);
  derived.agrees =
      known && derived.fit.map && derived.fit.offset == 0 && *derived.fit.map == known->map;
  return derived;
}

}  // namespace

Result<std::vector<Derived>> derive_from_compiler(const std::vector<FragmentKey>& keys,
                                                  const Tools& tools) {
  WL_CHECK(!keys.empty());
  for (const FragmentKey& key : keys) {
    if (key.family != Family::kWmma) {
      return Diagnostic{
          .message = fmt::format("'{}' cannot be derived from the compiler", name_of(key)),
          .hint = "only wmma is lowered to plain loads; the other maps are published",
          .code = "cannot-derive"};
    }
    WL_TRY_STATUS([&]() -> Status {
      const auto known = find_fragment(key);
      return known ? Status() : Status(known.error());
    }());
  }
  WL_TRY(const std::vector<sass::Function> functions, assemble(keys, tools));
  std::vector<Derived> all;
  for (const FragmentKey& key : keys) {
    WL_TRY(Derived derived, follow(key, functions));
    all.push_back(std::move(derived));
  }
  return all;
}

std::vector<FragmentKey> derivable_keys(int arch) {
  std::vector<FragmentKey> keys;
  for (const FragmentKey& key : catalog::wmma_keys(arch)) {
    for (const bool column_major : {false, true}) {
      // Elements of less than a byte have one order only: A by rows, B by columns.
      const bool narrow = bits_of(key.element) < 8;
      if (narrow && column_major != (key.operand == Operand::kB)) continue;
      keys.push_back(key);
      keys.back().column_major = column_major;
    }
  }
  return keys;
}

}  // namespace warpledger::derive
