#include "warpledger/sass/cubin/ptx_text.h"

#include <fmt/core.h>

#include <algorithm>

namespace warpledger::sass {
namespace {

constexpr std::string_view kSection = ".nv_debug_ptx_txt";

bool holds_ptx(const ElfSection& section) {
  if (!section.name.starts_with(kSection)) return false;
  const std::string_view rest = section.name.substr(kSection.size());
  return rest.empty() || rest.front() == '.';
}

}  // namespace

bool looks_like_cubin(std::string_view bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}

Result<std::vector<std::string>> read_ptx_texts(std::string_view cubin) {
  WL_TRY(const Elf elf, read_elf(cubin));
  std::vector<std::string> texts;
  for (const ElfSection& section : elf.sections) {
    if (!holds_ptx(section) || section.bytes.empty()) continue;
    std::string text(section.bytes);
    std::replace(text.begin(), text.end(), '\0', '\n');
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<std::string> read_ptx_text(const std::string& name, std::string_view cubin) {
  WL_TRY(std::vector<std::string> texts, read_ptx_texts(cubin));
  if (texts.size() == 1) return std::move(texts.front());
  if (texts.empty())
    return Diagnostic{.message = fmt::format("'{}' is machine code without its PTX", name),
                      .hint = std::string(kKeepPtxHint),
                      .code = "no-ptx"};
  return Diagnostic{
      .message = fmt::format("'{}' was linked from {} PTX modules, but a file must contain one",
                             name, texts.size()),
      .hint = "profile the program that loads it, or compile its sources without -rdc=true",
      .code = "linked-cubin"};
}

}  // namespace warpledger::sass
