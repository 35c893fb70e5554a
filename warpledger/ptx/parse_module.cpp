// The module: its head, its statements, and how faults become a Diagnostic.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "warpledger/ptx/parser_impl.h"

namespace warpledger::ptx {
namespace {

constexpr size_t kMostFaults = 20;
constexpr std::array<std::string_view, 6> kTargetOptions = {
    "texmode_unified", "texmode_independent", "texmode_raw", "debug", "map_f64_to_f32", "compute"};

std::string shown(char c) {
  if (c >= ' ' && c <= '~') return fmt::format("'{}'", c);
  return fmt::format("byte {:#04x}", static_cast<uint8_t>(c));
}

}  // namespace

Parser::Parser(std::shared_ptr<const Source> source)
    : source_(std::move(source)), scan_(source_->text()) {
  module_.source = source_;
}

void Parser::note(Span span, std::string message, std::string hint, std::string code) {
  faults_.push_back({std::move(message), std::move(hint), std::move(code), source_->locate(span)});
}

bool Parser::fail(Span span, std::string message, std::string hint, std::string code) {
  note(span, std::move(message), std::move(hint), std::move(code));
  return false;
}

bool Parser::expected(std::string_view what) {
  if (!faults_.empty()) return false;  // the reader below has said it already
  const uint32_t at = std::min(scan_.position(), static_cast<uint32_t>(source_->text().size()));
  const std::string found = scan_.at_end() ? "the end of the text" : shown(scan_.peek());
  return fail({at, at + (scan_.at_end() ? 0 : 1)},
              fmt::format("expected {}, found {}", what, found), "", "syntax");
}

bool Parser::expect(char c) {
  if (scan_.accept(c)) return true;
  return expected(fmt::format("'{}'", c));
}

Result<Module> Parser::result() {
  if (faults_.empty()) return std::move(module_);
  Diagnostic first = std::move(faults_.front());
  first.also.assign(std::make_move_iterator(faults_.begin() + 1),
                    std::make_move_iterator(faults_.end()));
  return first;
}

Result<Module> Parser::run() {
  scan_.skip();
  while (!scan_.at_end() && faults_.size() < kMostFaults) {
    if (!module_statement()) return result();
  }
  if (faults_.empty() && module_.version == 0) expected("'.version'");
  link_definitions();
  return result();
}

bool Parser::module_statement() {
  const uint32_t begin = scan_.position();
  if (scan_.accept(';')) return true;
  if (scan_.peek() != '.') return expected("a directive");
  scan_.advance();
  const std::string_view word = scan_.word();
  if (module_.version == 0 && word != "version") {
    return fail(from(begin), "a module begins with .version", "", "missing-version");
  }
  return module_directive(word, begin);
}

bool Parser::module_directive(std::string_view word, uint32_t begin) {
  const Span span = from(begin);
  if (word == "const") return variable_declaration(Space::kConst, Linkage::kNone);
  scan_.skip();
  if (word == "visible") return linked(Linkage::kVisible, begin);
  if (word == "extern") return linked(Linkage::kExtern, begin);
  if (word == "weak") return linked(Linkage::kWeak, begin);
  if (word == "common") return linked(Linkage::kCommon, begin);
  if (word == "entry" || word == "func") return function(Linkage::kNone, word == "entry", begin);
  if (word == "global") return variable_declaration(Space::kGlobal, Linkage::kNone);
  if (word == "shared") return variable_declaration(Space::kShared, Linkage::kNone);
  if (word == "local") return variable_declaration(Space::kLocal, Linkage::kNone);
  if (word == "tex") return variable_declaration(Space::kTexture, Linkage::kNone);
  if (word == "version") return version();
  if (word == "target") return target();
  if (word == "address_size") return address_size();
  if (word == "file") return file();
  if (word == "section") return section();
  if (word == "alias") return alias();
  if (word == "pragma") {
    module_.statements.push_back(
        {StatementKind::kPragma, static_cast<uint32_t>(module_.pragmas.size())});
    return pragma(module_.pragmas);
  }
  return fail(span, fmt::format("unknown directive '.{}'", word), "", "unknown-directive");
}

// What follows .visible, .extern, .weak, .common.
bool Parser::linked(Linkage linkage, uint32_t begin) {
  if (scan_.peek() != '.') return expected("a directive");
  scan_.advance();
  const std::string_view word = scan_.word();
  if (word == "const") return variable_declaration(Space::kConst, linkage);
  scan_.skip();
  if (word == "entry" || word == "func") return function(linkage, word == "entry", begin);
  if (word == "global") return variable_declaration(Space::kGlobal, linkage);
  if (word == "shared") return variable_declaration(Space::kShared, linkage);
  if (word == "tex") return variable_declaration(Space::kTexture, linkage);
  return fail(from(begin), fmt::format("'.{}' has no linkage", word), "", "unknown-directive");
}

// .version 8.8: read as text, 8.10 is not 8.1.
bool Parser::version() {
  const uint32_t begin = scan_.position();
  const auto digits = [](std::string_view text, int& out) {
    return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc();
  };
  int major = 0, minor = 0;
  const bool read = digits(scan_.word(), major) && scan_.peek() == '.' &&
                    (scan_.advance(), digits(scan_.word(), minor));
  if (!read || major < 1 || major > 9 || minor > 9 || minor < 0) {
    return fail(from(begin), fmt::format("unknown PTX version '{}'", scan_.text(begin)),
                "versions 1.0 to 9.9 are read", "unknown-version");
  }
  module_.version = major * 10 + minor;
  scan_.skip();
  return true;
}

// .target sm_90a, texmode_independent, debug
bool Parser::target() {
  do {
    const uint32_t begin = scan_.position();
    const std::string_view word = scan_.name();
    const Span span = from(begin);
    scan_.skip();
    if (word.substr(0, 3) != "sm_") {
      if (std::ranges::find(kTargetOptions, word) == kTargetOptions.end()) {
        return fail(span, fmt::format("unknown target '{}'", word), "", "unknown-target");
      }
      module_.target.options.push_back(word);
      continue;
    }
    int& number = module_.target.number;
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data() + 3, end, number);
    const bool variant = read.ptr + 1 == end && (*read.ptr == 'a' || *read.ptr == 'f');
    if (read.ec != std::errc() || number < 10 || number > 199 || (read.ptr != end && !variant)) {
      return fail(span, fmt::format("unknown target '{}'", word), "", "unknown-target");
    }
    module_.target.variant = variant ? *read.ptr : '\0';
    module_.target.text = word;
  } while (scan_.accept(','));
  return true;
}

bool Parser::address_size() {
  const uint32_t begin = scan_.position();
  uint32_t size = 0;
  if (!small_number(size)) return false;
  if (size != 32 && size != 64) {
    return fail(from(begin), "an address has 32 or 64 bits", "", "address-size");
  }
  module_.address_size = static_cast<int>(size);
  module_.has_address_size = true;
  return true;
}

// .file 1 "name"{, time, size}
bool Parser::file() {
  SourceFile made;
  if (!small_number(made.number)) return false;
  const uint32_t begin = scan_.position();
  if (!scan_.quoted()) return expected("a file name");
  made.name = scan_.text(begin);
  made.name = made.name.substr(1, made.name.size() - 2);
  scan_.skip();
  if (scan_.accept(',')) {
    Constant time, size;
    if (!constant(time) || !expect(',') || !constant(size)) return false;
    made.has_time = true;
    made.time = time.bits;
    made.size = size.bits;
  }
  scan_.accept(';');
  module_.statements.push_back({StatementKind::kFile, static_cast<uint32_t>(module_.files.size())});
  module_.files.push_back(made);
  return true;
}

// .section .debug_str { … }: kept as it stands.
bool Parser::section() {
  const uint32_t begin = scan_.position();
  while (scan_.peek() == '.' || Scanner::is(scan_.peek(), kNameStart | kDigit)) scan_.advance();
  Section made{scan_.text(begin), {}};
  if (made.name.empty()) return expected("a section name");
  scan_.skip();
  const uint32_t open = scan_.position();
  if (scan_.peek() != '{' || !scan_.braced()) return expected("{ … }");
  made.text = scan_.text(open);
  made.text = made.text.substr(1, made.text.size() - 2);
  scan_.skip();
  module_.statements.push_back(
      {StatementKind::kSection, static_cast<uint32_t>(module_.sections.size())});
  module_.sections.push_back(made);
  return true;
}

// .alias name, target;
bool Parser::alias() {
  Alias made;
  const auto function_named = [&](uint32_t& index) {
    const uint32_t begin = scan_.position();
    const std::string_view name = scan_.name();
    const Binding binding = names_.find(name);
    if (binding.meaning != Meaning::kFunction) {
      return fail(from(begin), fmt::format("'{}' is not a function", name), "", "unknown-name");
    }
    scan_.skip();
    index = binding.index;
    return true;
  };
  if (!function_named(made.function) || !expect(',') || !function_named(made.target)) return false;
  module_.statements.push_back(
      {StatementKind::kAlias, static_cast<uint32_t>(module_.aliases.size())});
  module_.aliases.push_back(made);
  return expect(';');
}

Result<Module> parse(std::shared_ptr<const Source> source) {
  return Parser(std::move(source)).run();
}

Result<Module> parse(std::string name, std::string text) {
  return parse(std::make_shared<const Source>(std::move(name), std::move(text)));
}

}  // namespace warpledger::ptx
