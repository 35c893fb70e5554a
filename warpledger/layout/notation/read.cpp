#include "warpledger/layout/notation/notation.h"

namespace warpledger::notation {

Kind kind_of(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return Kind::kBases;
  return text.find('=') != std::string_view::npos ? Kind::kFormula : Kind::kCute;
}

Result<Layout> read(const Source& source, const Reading& reading) {
  switch (kind_of(source.text())) {
    case Kind::kBases:
      return read_bases(source);
    case Kind::kCute:
      return read_cute(source, reading);
    case Kind::kFormula:
      break;
  }
  return read_formula(source, reading);
}

}  // namespace warpledger::notation
