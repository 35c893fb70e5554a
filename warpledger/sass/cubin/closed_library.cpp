#include "warpledger/sass/cubin/closed_library.h"

#include <fmt/core.h>

namespace warpledger::sass {
namespace {

struct Named {
  std::string_view part, library;
};

#define WL_CLOSED_FILE(beginning, library) {beginning, library},
#define WL_CLOSED_SYMBOL(beginning, library)
constexpr Named kFiles[] = {
#include "warpledger/sass/cubin/closed_library.def"
};
#undef WL_CLOSED_FILE
#undef WL_CLOSED_SYMBOL

#define WL_CLOSED_FILE(beginning, library)
#define WL_CLOSED_SYMBOL(beginning, library) {beginning, library},
constexpr Named kSymbols[] = {
#include "warpledger/sass/cubin/closed_library.def"
};
#undef WL_CLOSED_FILE
#undef WL_CLOSED_SYMBOL

/// Whether a name in the symbol begins so: a mangled symbol has its length before it. A name that
/// only contains the word, like "faster_than_cublas", is somebody else's.
bool names(std::string_view symbol, std::string_view part) {
  for (size_t at = symbol.find(part); at != std::string_view::npos; at = symbol.find(part, at + 1))
    if (at == 0 || (symbol[at - 1] >= '0' && symbol[at - 1] <= '9')) return true;
  return false;
}

}  // namespace

std::string_view closed_library_of_file(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const Named& named : kFiles) {
    if (file.starts_with(named.part)) return named.library;
  }
  return {};
}

std::string_view closed_library_of_symbol(std::string_view symbol) {
  for (const Named& named : kSymbols) {
    if (names(symbol, named.part)) return named.library;
  }
  return {};
}

Status check_open(const std::string& name, const Cubin& cubin) {
  std::string_view library = closed_library_of_file(name), symbol;
  for (const CubinFunction& function : cubin.functions) {
    if (!library.empty()) break;
    library = closed_library_of_symbol(function.name);
    symbol = function.name;
  }
  if (library.empty()) return {};
  return Diagnostic{.message = fmt::format(
                        "'{}'{} is machine code of {}, whose license forbids disassembling it",
                        name, symbol.empty() ? "" : fmt::format(" with '{}'", symbol), library),
                    .hint =
                        "profile kernels of your own or of open libraries; docs/math-libraries.md "
                        "lists the calls that run on the CPU",
                    .code = "closed-library"};
}

}  // namespace warpledger::sass
