// How fast PTX is read: a module of at least 10 MB, made by repeating compilers' output under fresh
// names, parsed and checked; and printed again. Processor time (one thread), best of five.
//
//   bench_ptx_parse tests/inputs/ptx/*.ptx
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "warpledger/base/file.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/ptx/printer.h"

namespace {

using namespace warpledger;

constexpr size_t kBytes = 10u << 20;

// Every occurrence of `name` that no dot follows (an opcode) gets `suffix`.
std::string renamed(std::string_view text, std::string_view name, std::string_view suffix) {
  std::string result;
  for (size_t at = 0;;) {
    const size_t found = text.find(name, at);
    result += text.substr(at, std::min(found, text.size()) - at);
    if (found == std::string_view::npos) return result;
    result += name;
    if (text.substr(found + name.size(), 1) != ".") result += suffix;
    at = found + name.size();
  }
}

// The module's text without its head, debug sections and file numbers, which cannot be repeated.
std::string body_of(const std::string& text) {
  const size_t address_size = text.find(".address_size");
  const size_t begin = text.find('\n', address_size);
  const size_t end = std::min(text.find("\t.file"), text.find("\t.section"));
  return text.substr(begin, std::min(end, text.size()) - begin);
}

std::string repeated(const ptx::Module& module, const std::string& text) {
  std::vector<std::string> names;
  for (const ptx::Function& f : module.functions) names.emplace_back(f.name);
  for (const ptx::Statement& s : module.statements) {
    if (s.kind == ptx::StatementKind::kVariable) names.emplace_back(module.variables[s.index].name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string result =
      fmt::format(".version 9.4\n.target {}\n.address_size 64\n", module.target.text);
  const std::string body = body_of(text);
  for (int i = 0; result.size() < kBytes; ++i) {
    std::string copy = body;
    for (const std::string& name : names) copy = renamed(copy, name, fmt::format("_{}_", i));
    result += copy;
  }
  return result;
}

template <class Work>
double best_seconds(Work work) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void measure(const std::string& path) {
  const auto text = read_file(path);
  const auto once = text.ok() ? ptx::parse(path, *text) : Result<ptx::Module>(text.error());
  if (!once.ok()) return static_cast<void>(fmt::print(stderr, "{}", to_text(once.error())));
  const auto source = std::make_shared<const Source>(path, repeated(*once, *text));
  const auto module = ptx::parse(source);
  if (!module.ok()) return static_cast<void>(fmt::print(stderr, "{}", to_text(module.error())));
  size_t instructions = 0;
  for (const ptx::Function& f : module->functions) instructions += f.instructions.size();
  const double megabytes = static_cast<double>(source->text().size()) / 1e6;
  const double parsing = best_seconds([&] { static_cast<void>(ptx::parse(source)); });
  const double printing = best_seconds([&] { static_cast<void>(ptx::print(*module)); });
  fmt::print("{:<45} {:6.1f} MB {:8} instructions  parse {:6.1f} MB/s  print {:6.1f} MB/s\n",
             path.substr(path.rfind('/') + 1), megabytes, instructions, megabytes / parsing,
             megabytes / printing);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) measure(argv[i]);
}
