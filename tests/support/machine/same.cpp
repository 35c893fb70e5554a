#include "tests/support/machine/same.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "tests/support/machine/compiled.h"
#include "tests/support/machine/counts.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/machine/engine.h"
#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/exec/numeric/tensor_core.h"
#include "warpledger/ptx/module.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec::machine {
namespace {

/// Kernels whose machine code may differ from their PTX, each with the reason.
const std::map<std::string, std::string>& known_differences() {
  static const std::map<std::string, std::string> known = {
      {"fast_math", "sin.approx and cos.approx: the machine multiplies by 1 / 2 pi first"},
      {"grow_tree", "the tree depends on which thread takes a link first"},
  };
  return known;
}

/// The same of sm_90 and its successors alone.
const std::map<std::string, std::string>& late_differences() {
  static const std::map<std::string, std::string> known = {
      {"matmul_tf32", "ptxas makes two products of depth 4 of one of 8, which PTX sums at once"},
  };
  return known;
}

/// PTX of another architecture, whose tensor cores sum other blocks.
bool has_other_tensor_cores(const ptx::Module& module, const std::string& arch) {
  const auto block = [](int number) { return numeric::tensor_core(number, numeric::kF16).block; };
  return module.source->text().find("mma.") != std::string_view::npos &&
         block(module.target.number) != block(std::stoi(arch.substr(3)));
}

bool is_explained(const ptx::Module& module, const std::string& kernel, const std::string& arch) {
  const bool is_late = arch == "sm_90" || arch == "sm_100" || arch == "sm_120";
  return known_differences().contains(kernel) || (is_late && late_differences().contains(kernel)) ||
         has_other_tensor_cores(module, arch);
}

using Bytes = std::map<uint64_t, std::vector<std::byte>>;  // by address of the allocation

Bytes bytes_of(const DeviceMemory& memory) {
  Bytes all;
  for (const auto& [address, allocation] : memory.allocations()) {
    const std::byte* bytes = memory.find(address, allocation.bytes);
    if (allocation.is_free || bytes == nullptr) continue;
    all[address].assign(bytes, bytes + allocation.bytes);
  }
  return all;
}

/// Variables with the addresses of functions hold other numbers for machine code.
bool is_function_pointer(const Image& image, const std::vector<std::byte>& bytes, size_t at) {
  uint64_t word = 0;
  at = at / 8 * 8;
  if (at + 8 <= bytes.size()) std::memcpy(&word, &bytes[at], 8);
  return image.function_at(word).has_value();
}

/// "equal", or the first word that is not.
std::string difference(const Image& image, const Bytes& machine, const Bytes& ptx) {
  for (const auto& [address, bytes] : ptx) {
    const auto other = machine.find(address);
    if (other == machine.end() || other->second == bytes) continue;
    size_t words = 0, first = 0;
    for (size_t i = bytes.size() / 4; i-- > 0;) {
      if (std::memcmp(&bytes[4 * i], &other->second[4 * i], 4) == 0) continue;
      if (is_function_pointer(image, bytes, 4 * i)) continue;
      ++words;
      first = 4 * i;
    }
    if (words == 0) continue;
    uint32_t got = 0, want = 0;
    if (first + 4 <= bytes.size()) {
      std::memcpy(&got, &other->second[first], 4);
      std::memcpy(&want, &bytes[first], 4);
    }
    char text[160];
    std::snprintf(text, sizeof text,
                  "differs in %zu words of 0x%llx, first at +0x%zx: %08x, PTX %08x", words,
                  static_cast<unsigned long long>(address), first, got, want);
    return text;
  }
  return "equal";
}

/// PTX for sm_80 as PTX for sm_75 that holds one kernel: ptxas refuses a module for what any kernel
/// of it asks. A kernel ends with the brace that closes its first one: assembly in it may begin
/// lines with braces too.
std::string for_turing(const std::string& text, const std::string& kernel) {
  std::string kept;
  bool is_other = false;
  ptrdiff_t depth = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string line = text.substr(at, end - at);
    at = end;
    const size_t entry = line.find(".entry ");
    if (entry != std::string::npos) {
      const size_t name = entry + 7, after = line.find_first_of("( \n", name);
      is_other = line.substr(name, after - name) != kernel;
    }
    if (line.starts_with(".target")) line = ".target sm_75\n";
    if (!is_other) kept += line;
    const auto closed = std::count(line.begin(), line.end(), '}');
    depth += std::count(line.begin(), line.end(), '{') - closed;
    if (closed > 0 && depth == 0) is_other = false;
  }
  return kept;
}

/// Without line tables, whose strings an input may lack.
std::string without_lines(std::string text) {
  for (size_t at = 0; (at = text.find("\t.loc\t", at)) != std::string::npos;)
    text.erase(at, text.find('\n', at) - at);
  return text.substr(0, text.find("\t.section\t"));
}

/// The module as machine code; "" where ptxas refuses it. Made once: a test launches its kernels
/// often.
const std::string& cubin_of(const Image& image, const std::string& kernel,
                            const std::string& arch) {
  static std::map<std::string, std::string> made;
  std::string text = without_lines(std::string(image.module().source->text()));
  if (arch == "sm_75") text = for_turing(text, kernel);
  const auto [entry, fresh] = made.try_emplace(arch + text);
  if (!fresh) return entry->second;
  const auto compiled =
      toolchain::run_ptxas(toolchain::find_tools("ptxas"), text, arch, {"--fmad=false"});
  if (compiled) entry->second = compiled->cubin;
  return entry->second;
}

/// PTX for one architecture alone ("sm_100a") is compared there.
std::string arch_for(const ptx::Module& module) {
  const std::string text(module.source->text());
  const size_t at = text.find(".target sm_") + std::string(".target ").size();
  const std::string target = text.substr(at, text.find_first_of(" ,\n", at) - at);
  return target.ends_with('a') ? target : compared_arch();
}

/// Whether it ended, or ended by a trap, which leaves memory to compare.
bool has_result(const Status& ran) { return ran || ran.error().code == "trap"; }

void append(const char* variable, const std::string& text) {
  if (const char* path = std::getenv(variable)) std::ofstream(path, std::ios::app) << text;
}

}  // namespace

bool can_compare() {
  return !toolchain::find_tools("ptxas").empty() && toolchain::find_tool("nvdisasm");
}

Compared compare_cubin(Image& image, const exec::Launch& launch, const std::string& cubin,
                       const Limits& limits, uint32_t slots) {
  const MemorySnapshot before(image.memory());
  auto reference = reference::Engine::create(image, launch, limits);
  if (!reference) return {"refused: PTX does not run"};
  trace::NoSink sink;
  const Status expected_end = trace::run_all(**reference, sink, slots);
  const Bytes expected = bytes_of(image.memory());
  before.restore();
  if (!has_result(expected_end)) return {"refused: PTX has a fault"};
  auto engine = Engine::create(image, launch, cubin, limits, true, Spellings::kAll);
  if (!engine) return {"refused: " + engine.error().message};
  const Status done = trace::run_all(**engine, sink, slots);
  const Bytes got = bytes_of(image.memory());
  before.restore();
  if (!has_result(done)) return {"stopped: " + done.error().message};
  if (done.ok() != expected_end.ok()) return {"differs: only one of them traps"};
  Compared compared{difference(image, got, expected)};
  if (compared.outcome == "equal") compared.spellings = (*engine)->spellings();
  return compared;
}

void note_spellings(const std::string& arch, const Compared& compared) {
  const std::string number = arch.substr(0, arch.find_last_of("0123456789") + 1);  // of "sm_90a"
  for (const auto& [spelling, times] : compared.spellings)
    append("WL_MACHINE_SPELLINGS", number + "\t" + spelling + "\n");
}

std::string compared_arch() {
  const char* chosen = std::getenv("WL_MACHINE_ARCH");
  return chosen == nullptr ? "sm_86" : chosen;
}

std::string compare_with_ptx(Image& image, const exec::Launch& launch, const Limits& limits,
                             uint32_t slots) {
  const std::string arch = arch_for(image.module());
  Compared compared{"refused: no tools"};
  std::string compiled;
  if (can_compare()) {
    const std::string& cubin = cubin_of(image, launch.kernel, arch);
    compared = cubin.empty() ? Compared{"refused by ptxas"}
                             : compare_cubin(image, launch, cubin, limits, slots);
    if (!cubin.empty()) compiled = compare_compiled(image, launch, cubin, limits, slots);
    append("WL_MACHINE_COMPILED", launch.kernel + "\t" + arch + "\t" + compiled + "\n");
  }
  append("WL_MACHINE_OUTCOMES", launch.kernel + "\t" + arch + "\t" + compared.outcome + "\t" +
                                    image.module().source->name() + "\n");
  note_spellings(arch, compared);
  if (compared.outcome == "equal") compare_counts(image, launch, limits, slots, arch);
  const bool fine =
      !compared.outcome.starts_with("differs") || is_explained(image.module(), launch.kernel, arch);
  if (compiled.starts_with("differs")) return launch.kernel + ", compiled: " + compiled;
  return fine ? "" : launch.kernel + ": " + compared.outcome;
}

}  // namespace warpledger::exec::machine
