#include "warpledger/exec/machine/loader.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "warpledger/exec/machine/kept_listings.h"
#include "warpledger/exec/machine/relocate.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/ptx/module.h"
#include "warpledger/sass/cubin/ptx_text.h"

namespace warpledger::exec::machine {
namespace {

constexpr uint32_t kLeastLocal = 4096, kStackFrames = 16;
constexpr uint32_t kSharedStep = 16;

void put(std::string& bank, uint64_t at, uint64_t value, size_t bytes) {
  if (bank.size() < at + bytes) bank.resize(at + bytes);
  for (size_t i = 0; i < bytes; ++i) bank[at + i] = static_cast<char>(value >> (8 * i));
}

/// Room for what the kernel and its functions put on the stack; recursion has 16 frames of each.
uint32_t local_bytes_of(const sass::Cubin& cubin) {
  uint32_t most = 0;
  for (const sass::CubinFunction& function : cubin.functions) {
    most = std::max({most, function.frame_bytes.value_or(0), function.min_stack_bytes.value_or(0),
                     function.max_stack_bytes.value_or(0)});
  }
  constexpr uint32_t kUnknownStack = 1U << 16;
  if (most > kUnknownStack) return kUnknownStack;  // "unknown" is written as a very large number
  return std::max(kLeastLocal, (kStackFrames * most + 1023) / 1024 * 1024);
}

/// About 20 MB of listings: some 400 bytes an instruction.
constexpr size_t kMostListed = 50'000;

uint32_t registers_of(const Program& program) {
  constexpr int kVector = 8, kTensorVector = 128;
  int most = kVector;
  for (const Instruction& instruction : program.instructions) {
    const bool moves_cells = instruction.row != nullptr && instruction.row->opcode.ends_with("TM");
    const int vector =
        moves_cells ? kTensorVector : std::max(kVector, static_cast<int>(instruction.shape.n / 2));
    for (const Operand& operand : instruction.operands) {
      if (operand.kind == OperandKind::kRegister && operand.index != kZeroRegister)
        most = std::max(most, operand.index + vector);
      if (operand.base != kZeroRegister) most = std::max(most, operand.base + kVector);
    }
  }
  return static_cast<uint32_t>(most);
}

Result<const BankLayout*> layout_of(int architecture) {
  const BankLayout* layout = find_bank_layout(architecture);
  if (layout != nullptr) return layout;
  return Diagnostic{.message = fmt::format("machine code of sm_{} is not executed: {} are",
                                           architecture, known_architectures()),
                    .hint = std::string(sass::kKeepPtxHint),
                    .code = "unsupported-architecture"};
}

Result<Extent> find_cluster(const Image& image, const Launch& launch, const BankLayout& layout) {
  WL_TRY(const ptx::Function* kernel, find_kernel(image.module(), launch.kernel));
  const Extent cluster = cluster_of(*kernel, launch);
  if (cluster == Extent{1, 1, 1} || layout.cluster.is_explicit != kNowhere) return cluster;
  return Diagnostic{.message = fmt::format("machine code of sm_{} is not executed in clusters",
                                           layout.architecture),
                    .code = "unsupported-launch"};
}

/// A launch has parameters one after another, each at its natural alignment. In the bank they are
/// where the cubin says: alignment there counts from the bank's start.
std::vector<ParameterPlace> place_parameters(const Image& image, const Launch& launch,
                                             const sass::CubinFunction& kernel, uint64_t begin) {
  const auto function = find_kernel(image.module(), launch.kernel);
  std::vector<ParameterPlace> places;
  if (!function || (*function)->signature.params.size() != kernel.parameters.size())
    return {{.to = begin, .bytes = launch.params.size()}};
  uint64_t next = 0;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::Variable& declared = image.module().variables[(*function)->signature.params[i]];
    const uint64_t alignment = declared.alignment();
    const uint64_t from = (next + alignment - 1) / alignment * alignment;
    places.push_back({from, begin + kernel.parameters[i].offset, declared.bytes()});
    next = from + declared.bytes();
  }
  return places;
}

/// What kernels read of their cluster: whether there is one, blocks along x, y and z, their
/// reciprocals as f32 (a kernel divides by multiplying and truncating, so these are not below the
/// quotient), clusters along x, y and z, blocks in all.
void put_cluster(std::string& bank, const Launch& launch, const Loaded& loaded) {
  const ClusterPlaces& at = loaded.layout->cluster;
  if (at.is_explicit == kNowhere) return;
  put(bank, at.is_explicit, loaded.cluster_blocks() == 1 ? 0 : 1, 4);
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t blocks = loaded.cluster[i];
    const float reciprocal = 1.0F / static_cast<float>(blocks);
    const bool is_below = static_cast<double>(reciprocal) * blocks < 1;
    put(bank, at.blocks + 4 * i, blocks, 4);
    put(bank, at.reciprocals + 4 * i,
        std::bit_cast<uint32_t>(is_below ? std::nextafter(reciprocal, 2.0F) : reciprocal), 4);
    put(bank, at.clusters + 4 * i, launch.grid[i] / blocks, 4);
  }
  put(bank, at.all, loaded.cluster_blocks(), 4);
}

/// Locks are taken with CAS and EXCH, flags read with STRONG; who waits may say so.
bool may_poll(const Program& program) {
  return std::ranges::any_of(program.instructions, [](const Instruction& one) {
    if (one.row == nullptr) return false;
    const std::string_view opcode = one.row->opcode;
    const bool reads_flag = one.has(Modifier::kSTRONG) && opcode.starts_with("LD");
    return reads_flag || one.has(Modifier::kCAS) || one.has(Modifier::kCAST) ||
           one.has(Modifier::kEXCH) || opcode == "YIELD" || opcode == "NANOSLEEP" ||
           opcode == "SYNCS";
  });
}

/// Static memory, after what is the system's; the dynamic one begins behind it.
uint32_t shared_bytes_of(const BankLayout& layout, const sass::CubinFunction& kernel,
                         const Launch& launch) {
  const uint32_t fixed = layout.shared_begin + static_cast<uint32_t>(kernel.static_shared_bytes);
  return (fixed + kSharedStep - 1) / kSharedStep * kSharedStep + launch.dynamic_shared_bytes;
}

/// Where ptxas says that the books of tensor memory lie.
Range find_tensor_books(const sass::Cubin& cubin) {
  for (const sass::ElfSymbol& symbol : cubin.elf.symbols) {
    if (symbol.name == "__nv_reservedSMEM_tcgen05_partition")
      return {static_cast<uint32_t>(symbol.value),
              static_cast<uint32_t>(symbol.value + symbol.size)};
  }
  return {};
}

/// The kernel of that name; without an exact match the only one whose mangled name contains it.
Result<const sass::CubinFunction*> find_entry(const sass::Cubin& cubin, const std::string& name) {
  const sass::CubinFunction* found = nullptr;
  size_t partly = 0;
  for (const sass::CubinFunction& function : cubin.functions) {
    if (!function.is_entry) continue;
    if (function.name == name) return &function;
    if (function.name.find(name) == std::string_view::npos) continue;
    found = &function;
    ++partly;
  }
  if (partly == 1) return found;
  return Diagnostic{.message = fmt::format("the cubin has no kernel '{}'", name),
                    .code = "unknown-kernel"};
}

/// Bytes of a variable to where the cubin has it. Words that are addresses of functions stay what
/// they are in the cubin: machine code calls by numbers of its own.
void copy_variable(const Image& image, const std::byte* from, uint64_t bytes, char* to) {
  for (uint64_t at = 0; at < bytes; at += 8) {
    uint64_t word = 0;
    const size_t size = std::min<uint64_t>(8, bytes - at);
    std::memcpy(&word, from + at, size);
    if (!image.function_at(word)) std::memcpy(to + at, from + at, size);
  }
}

/// The opposite for variables in global memory, once: what the image wrote there as the address of
/// a function becomes what the cubin has.
void place_function_pointers(const Image& image, const sass::Cubin& cubin,
                             const std::string& initial) {
  const size_t section = cubin.elf.find(".nv.global.init");
  for (const sass::ElfSymbol& symbol : cubin.elf.symbols) {
    const auto address = variable_address(image, symbol.name);
    if (section == 0 || symbol.section != section || !address) continue;
    if (symbol.value > initial.size() || symbol.size > initial.size() - symbol.value) continue;
    std::byte* bytes = image.memory().find(*address, symbol.size);
    for (uint64_t at = 0; bytes != nullptr && at + 8 <= symbol.size; at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + at, sizeof word);
      if (image.function_at(word))
        std::memcpy(bytes + at, &initial[symbol.value + at], sizeof word);
    }
  }
}

}  // namespace

void fill_constants(const Image& image, const sass::Cubin& cubin, std::string& bank) {
  const size_t section = cubin.elf.find(".nv.constant3");
  bank = cubin.elf.sections[section].bytes;
  const auto& variables = image.module().variables;
  for (const sass::ElfSymbol& symbol : cubin.elf.symbols) {
    if (section == 0 || symbol.section != section) continue;
    for (uint32_t i = 0; i < variables.size(); ++i) {
      if (variables[i].name != symbol.name || variables[i].space != ptx::Space::kConst) continue;
      const uint64_t from = image.address_of(i), bytes = variables[i].bytes();
      if (symbol.value + bytes > bank.size() || from + bytes > image.constants().size()) continue;
      copy_variable(image, image.constants().data() + from, bytes, bank.data() + symbol.value);
    }
  }
}

std::string bank_zero(const Launch& launch, const Loaded& loaded) {
  const BankLayout& layout = *loaded.layout;
  std::string bank;
  for (size_t i = 0; i < 3; ++i) {
    put(bank, layout.block + 4 * i, launch.block[i], 4);
    put(bank, layout.grid + 4 * i, launch.grid[i], 4);
  }
  if (layout.shared_window != kNowhere) put(bank, layout.shared_window, kSharedWindow, 8);
  if (layout.parameter_window != kNowhere) put(bank, layout.parameter_window, kParamWindow, 8);
  put_cluster(bank, launch, loaded);
  put(bank, layout.local_window, kLocalWindow, 8);
  put(bank, layout.stack, loaded.local_bytes, 4);
  bank.resize(loaded.parameters_at + launch.params.size());
  for (const ParameterPlace& one : loaded.parameters) {
    const uint64_t held = launch.params.size() - std::min(launch.params.size(), one.from);
    if (bank.size() < one.to + one.bytes) bank.resize(one.to + one.bytes);
    if (const uint64_t bytes = std::min(one.bytes, held); bytes != 0)
      std::memcpy(bank.data() + one.to, launch.params.data() + one.from, bytes);
  }
  return bank;
}

Result<Loaded> load(const Image& image, const Launch& launch, std::string cubin,
                    Spellings allowed) {
  Loaded loaded;
  loaded.bytes = std::make_shared<const std::string>(std::move(cubin));
  WL_TRY(loaded.cubin, sass::read_cubin(*loaded.bytes));
  loaded.architecture = loaded.cubin.architecture;
  WL_TRY(loaded.layout, layout_of(loaded.architecture));
  WL_TRY(loaded.cluster, find_cluster(image, launch, *loaded.layout));
  WL_TRY(const sass::CubinFunction* kernel, find_entry(loaded.cubin, launch.kernel));
  WL_TRY(const Relocated relocated, relocate(image, loaded.cubin));
  static KeptListings listings(kMostListed);
  WL_TRY(const std::shared_ptr<const Functions> printed, listings.list(*loaded.bytes));
  loaded.listing.bytes = loaded.bytes;
  loaded.listing.kernel = kernel->name;
  loaded.program =
      decode(loaded.cubin, *printed, kernel->section, relocated.sections, loaded.listing);
  if (allowed == Spellings::kVerified) refuse_unverified(loaded.program, loaded.architecture);
  loaded.externals = relocated.externals;
  loaded.registers = registers_of(loaded.program);
  loaded.may_poll = may_poll(loaded.program);
  loaded.entry = loaded.program.sections.at(kernel->section) + kernel->offset;
  loaded.local_bytes = local_bytes_of(loaded.cubin);
  loaded.shared_bytes = shared_bytes_of(*loaded.layout, *kernel, launch);
  loaded.tensor_books = find_tensor_books(loaded.cubin);
  loaded.parameters_at = std::max(loaded.layout->parameters, kernel->parameters_at.value_or(0));
  loaded.parameters = place_parameters(image, launch, *kernel, loaded.parameters_at);
  loaded.banks[0] = bank_zero(launch, loaded);
  if (const size_t initial = loaded.cubin.elf.find(".nv.global.init"); initial != 0)
    place_function_pointers(image, loaded.cubin,
                            relocated.sections.at(static_cast<uint16_t>(initial)));
  const auto section_named = [&](const std::string& name) -> std::string {
    const size_t index = loaded.cubin.elf.find(name);
    return index == 0 ? "" : relocated.sections.at(static_cast<uint16_t>(index));
  };
  loaded.banks[2] = section_named(fmt::format(".nv.constant2.{}", kernel->name));
  if (loaded.banks[2].empty()) loaded.banks[2] = section_named(".nv.constant2");
  fill_constants(image, loaded.cubin, loaded.banks[3]);
  loaded.banks[4] = section_named(".nv.constant4");
  return loaded;
}

}  // namespace warpledger::exec::machine
