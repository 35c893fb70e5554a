#include "interpose/ptx_items.h"

#include <fmt/core.h>

#include <cctype>

namespace warpledger::cuda {
namespace {

using Kind = PtxItem::Kind;
using Linkage = PtxItem::Linkage;

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  Result<std::vector<PtxItem>> cut() {
    std::vector<PtxItem> items;
    for (skip_space(); at_ < text_.size(); skip_space()) {
      const size_t begin = at_;
      PtxItem item;
      if (!take(item)) {
        return Diagnostic{.message = fmt::format("PTX that cannot be linked: byte {}", begin),
                          .code = "bad-link"};
      }
      item.text = text_.substr(begin, at_ - begin);
      items.push_back(std::move(item));
    }
    return items;
  }

 private:
  [[nodiscard]] bool starts(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  void skip_space() {
    for (; at_ < text_.size();) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (starts("//")) {
        skip_line();
      } else if (starts("/*")) {
        const size_t end = text_.find("*/", at_);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }
  // One character further, over a comment or a string at once.
  void step() {
    if (starts("//") || starts("/*")) return skip_space();
    if (text_[at_] != '"') {
      ++at_;
      return;
    }
    const size_t end = text_.find('"', at_ + 1);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
  }
  // From '{' to behind the '}' that closes it.
  bool skip_block() {
    int depth = 0;
    while (at_ < text_.size()) {
      if (text_[at_] == '{') ++depth;
      const bool closes = text_[at_] == '}' && --depth == 0;
      step();
      if (closes) return true;
    }
    return false;
  }
  std::string_view word() {
    skip_space();
    const size_t begin = at_;
    if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '%')) ++at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool skip_parentheses() {
    const size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) return false;
    at_ = end + 1;
    return true;
  }

  bool take(PtxItem& item) {
    for (const char* line : {".version", ".target", ".address_size", ".file", ".pragma"}) {
      if (!starts(line)) continue;
      item.kind = starts(".file") ? Kind::kFile : Kind::kHeader;
      skip_line();
      return true;
    }
    if (starts(".section") || starts("@@DWARF")) {
      item.kind = Kind::kSection;
      if (starts("@@")) return skip_line(), true;
      while (at_ < text_.size() && text_[at_] != '{') step();
      return skip_block();
    }
    return take_declaration(item);
  }

  bool take_declaration(PtxItem& item) {
    const size_t begin = at_;
    item.kind = Kind::kVariable;
    std::string_view last;
    while (at_ < text_.size()) {
      skip_space();
      if (at_ == text_.size()) return false;
      const char c = text_[at_];
      if (c == ';' || c == '=' || c == '[') break;
      if (c == '(') {
        if (!skip_parentheses()) return false;  // .attribute(.managed)
        continue;
      }
      const std::string_view here = word();
      if (here.empty()) return false;
      if (here == ".extern") item.linkage = Linkage::kExtern;
      if (here == ".visible") item.linkage = Linkage::kVisible;
      if (here == ".weak" || here == ".common") item.linkage = Linkage::kWeak;
      if (here == ".func" || here == ".entry") return take_function(item, here == ".entry", begin);
      if (here == ".alias") return false;
      last = here;
    }
    item.name = last;
    while (at_ < text_.size() && text_[at_] != ';') {
      if (text_[at_] == '{') {
        if (!skip_block()) return false;
      } else {
        step();
      }
    }
    if (at_ == text_.size()) return false;
    ++at_;
    return !item.name.empty();
  }

  bool take_function(PtxItem& item, bool is_entry, size_t begin) {
    item.kind = Kind::kFunction;
    item.is_entry = is_entry;
    skip_space();
    if (starts(".attribute") && !skip_parentheses()) return false;
    skip_space();
    if (starts("(") && !skip_parentheses()) return false;  // what it returns
    item.name = word();
    while (at_ < text_.size() && text_[at_] != ';' && text_[at_] != '{') step();
    if (at_ == text_.size()) return false;
    item.head_bytes = at_ - begin;
    item.has_body = text_[at_] == '{';
    if (item.has_body) return skip_block();
    ++at_;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<PtxItem>> cut_items(std::string_view text) { return Cutter(text).cut(); }

}  // namespace warpledger::cuda
