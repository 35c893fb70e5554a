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

// Where the section that begins at `at` ends: its sources may hold braces of their own.
size_t end_of_sources(std::string_view text, size_t at) {
  bool in_source = false;
  int depth = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    at = end;
    if (line.starts_with(".source_begin")) in_source = true;
    if (line.starts_with(".source_end")) in_source = false;
    if (in_source) continue;
    depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
    if (depth <= 0 && line.find('}') != line.npos) break;
  }
  return at;
}

// Behind a kernel, cuTile's compiler keeps what it made the PTX of: another language, and places in
// files whose names were blanked. ptxas refuses those. Blanks it, and keeps the numbers of lines.
void blank_other_sources(std::string& text) {
  constexpr std::string_view kBegin = "\n.nv_intermediate_source_section";
  for (size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at)) {
    const size_t end = end_of_sources(text, ++at);
    for (; at < end; ++at)
      if (text[at] != '\n') text[at] = ' ';
    --at;
  }
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
    blank_other_sources(text);
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
