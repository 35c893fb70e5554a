#include "warpledger/exec/jit/runtime/dump.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

namespace warpledger::exec::jit {
namespace {

constexpr std::string_view kTopic = "jit:";
constexpr size_t kLetters = 100, kDigits = 8;

Diagnostic unknown(std::string_view text) {
  return {.message = fmt::format("unknown value '{}' in WARPLEDGER_DEBUG", text),
          .hint = "use WARPLEDGER_DEBUG=jit:emitted,ir,asm, or any of these three",
          .code = "bad-debug"};
}

bool* flag_of(Dump& dump, std::string_view word) {
  if (word == "emitted") return &dump.emitted;
  if (word == "ir") return &dump.ir;
  return word == "asm" ? &dump.assembly : nullptr;
}

}  // namespace

Result<Dump> parse_dump(std::string_view text) {
  Dump dump;
  if (text.empty()) return dump;
  if (!text.starts_with(kTopic)) return unknown(text);
  for (size_t begin = kTopic.size(); begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    bool* flag = flag_of(dump, word);
    if (flag == nullptr) return unknown(word);
    *flag = true;
    begin = end + 1;
  }
  return dump;
}

Result<Dump> wanted_dump() {
  const char* said = std::getenv("WARPLEDGER_DEBUG");
  return parse_dump(said == nullptr ? "" : said);
}

std::string dump_stem(std::string_view kernel, std::string_view code) {
  const size_t hash = code.find('_') + 1;  // of "wl_" and a hash
  return fmt::format("warpledger-debug/{}.{}", kernel.substr(0, kLetters),
                     code.substr(hash, kDigits));
}

}  // namespace warpledger::exec::jit
