#include "interpose/program.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace warpledger::cuda {
namespace {

template <class T>
bool read_at(std::string_view bytes, uint64_t at, T& value) {
  if (at > bytes.size() || sizeof value > bytes.size() - at) return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return true;
}

std::string text_at(std::string_view bytes, uint64_t at) {
  if (at >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(at);
  return std::string(rest.substr(0, std::min(rest.find('\0'), rest.size())));
}

std::vector<std::string> needs_of(std::string_view bytes, const Elf64_Shdr& dynamic,
                                  const Elf64_Shdr& strings) {
  std::vector<std::string> needs;
  Elf64_Dyn entry{};
  for (uint64_t at = 0; at + sizeof entry <= dynamic.sh_size; at += sizeof entry) {
    if (!read_at(bytes, dynamic.sh_offset + at, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED)
      needs.push_back(text_at(bytes, strings.sh_offset + entry.d_un.d_val));
  }
  return needs;
}

}  // namespace

ProgramFacts inspect_program(std::string_view bytes) {
  ProgramFacts facts;
  Elf64_Ehdr header{};
  if (!bytes.starts_with(ELFMAG) || !read_at(bytes, 0, header)) return facts;
  facts.is_elf = true;
  const auto section = [&](uint32_t number) {
    Elf64_Shdr found{};
    if (!read_at(bytes, header.e_shoff + uint64_t{number} * sizeof found, found)) found = {};
    return found;
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = section(i);
    if (text_at(bytes, names.sh_offset + one.sh_name) == ".nvFatBinSegment")
      facts.registers_kernels = true;
    if (one.sh_type == SHT_DYNAMIC) facts.needs = needs_of(bytes, one, section(one.sh_link));
  }
  return facts;
}

std::string runtime_of(const ProgramFacts& facts) {
  const auto found = std::find_if(facts.needs.begin(), facts.needs.end(),
                                  [](const auto& one) { return one.starts_with("libcudart.so."); });
  return found == facts.needs.end() ? "" : *found;
}

Status check_program(const std::string& name, const ProgramFacts& facts) {
  if (!facts.registers_kernels) return {};
  const std::string runtime = runtime_of(facts);
  if (runtime.empty()) {
    return Diagnostic{
        .message = fmt::format("'{}' is statically linked to the CUDA runtime (nvcc's default), so "
                               "its launches cannot be intercepted",
                               name),
        .hint =
            "build it with NVCC_APPEND_FLAGS=\"-cudart shared\" in the environment, or with "
            "`warpledger nvcc`; CMake: -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared",
        .code = "static-runtime"};
  }
  if (runtime == "libcudart.so.13" || runtime == "libcudart.so.12") return {};
  return Diagnostic{
      .message = fmt::format(
          "'{}' was built for {}; warpledger replaces libcudart.so.13 and libcudart.so.12", name,
          runtime),
      .hint = "build it with CUDA 13 or 12",
      .code = "other-runtime"};
}

}  // namespace warpledger::cuda
