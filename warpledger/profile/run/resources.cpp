#include "warpledger/profile/run/resources.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/sass/assemble.h"
#include "warpledger/sass/cubin/carried_kernel.h"

namespace warpledger::profile {
namespace {

// Attributes of .nv.info: {format, attribute, value or size}, then the payload of sized ones.
// Names as in cuobjdump -elf.
constexpr uint64_t kSized = 4, kBarrierCount = 0x4c;
// What a thread gets at least: the 36 published reports of kernels for which ptxas needs 8 to 15
// print 16, on GPUs from Turing to Ada, and their block limits follow from 16.
constexpr int64_t kLeastRegisters = 16;

/// EIATTR_NUM_BARRIERS of the kernel; 0 where the section does not say.
int64_t barriers_of(const sass::Elf& elf, std::string_view kernel) {
  const std::string_view info = elf.sections[elf.find(fmt::format(".nv.info.{}", kernel))].bytes;
  for (uint64_t at = 0; at + 4 <= info.size();) {
    const uint64_t format = sass::read_number(info, at, 1);
    const uint64_t attribute = sass::read_number(info, at + 1, 1);
    const uint64_t value = sass::read_number(info, at + 2, 2);
    if (attribute == kBarrierCount) return static_cast<int64_t>(value & 0xFF);
    at += 4 + (format == kSized ? value : 0);
  }
  return 0;
}

}  // namespace

Result<Resources> read_resources(const sass::Cubin& cubin, std::string_view kernel) {
  const sass::CubinFunction* function = cubin.find(kernel);
  if (!function || !function->registers) {
    return Diagnostic{.message = fmt::format("the cubin does not say what '{}' needs", kernel),
                      .code = "bad-cubin"};
  }
  return Resources{.registers = std::max<int64_t>(*function->registers, kLeastRegisters),
                   .barriers = barriers_of(cubin.elf, kernel),
                   .local_bytes = function->frame_bytes.value_or(0),
                   .fidelity = Fidelity::kExact,
                   .source = "ptxas"};
}

Result<Resources> compile_resources(const ptx::Module& module, const ptx::Function& kernel,
                                    const std::string& architecture) {
  WL_TRY(const auto carried, sass::carried_kernel(module, kernel.name));
  if (carried != nullptr) {
    WL_TRY(const sass::Cubin cubin, sass::read_cubin(*carried));
    WL_TRY(Resources resources, read_resources(cubin, kernel.name));
    resources.source = "the cubin";
    return resources;
  }
  WL_TRY(const auto object, sass::compile(module, architecture));
  return read_resources(object->cubin, kernel.name);
}

}  // namespace warpledger::profile
