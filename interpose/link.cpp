#include "interpose/link.h"

#include <fmt/core.h>

#include <map>
#include <regex>
#include <set>

#include "interpose/ptx_items.h"

namespace warpledger::cuda {
namespace {

using Kind = PtxItem::Kind;
using Linkage = PtxItem::Linkage;

bool defines(const PtxItem& item) {
  if (item.kind == Kind::kFunction) return item.has_body;
  return item.kind == Kind::kVariable && item.linkage != Linkage::kExtern;
}

class Linker {
 public:
  Status add(std::vector<PtxItem> items) {
    tell_apart(items);
    std::map<std::string, int> numbers;  // of this text's files
    for (PtxItem& item : items) {
      if (item.kind == Kind::kFile) number_file(item.text, numbers);
    }
    for (PtxItem& item : items) WL_TRY_STATUS(place(item, numbers));
    ++texts_;
    return {};
  }

  [[nodiscard]] std::string text(const std::string& head) const {
    std::string out = head;
    for (const auto& [path, number] : files_) out += fmt::format(".file {} {}\n", number, path);
    for (const auto& [name, item] : declared_) {
      if (!defined_.contains(name)) out += item.text + "\n";
    }
    for (const PtxItem& item : definitions_) {
      if (item.kind == Kind::kFunction && !item.is_entry)
        out += item.text.substr(0, item.head_bytes) + ";\n";
    }
    for (const Kind kind : {Kind::kVariable, Kind::kFunction}) {
      for (const PtxItem& item : definitions_) {
        if (item.kind == kind) out += item.text + "\n";
      }
    }
    return out;
  }

 private:
  // Names without linkage belong to their text alone.
  void tell_apart(std::vector<PtxItem>& items) {
    std::map<std::string, std::string, std::less<>> renamed;
    for (const PtxItem& item : items) {
      const bool own = item.linkage == Linkage::kNone && !item.is_entry && !item.name.empty();
      if (own && defined_.contains(item.name))
        renamed[item.name] = fmt::format("{}__text{}", item.name, texts_);
    }
    if (renamed.empty()) return;
    const auto replace = [&](std::string_view word) {
      const auto found = renamed.find(word);
      return found == renamed.end() ? std::string(word) : found->second;
    };
    for (PtxItem& item : items) {
      if (item.kind != Kind::kVariable && item.kind != Kind::kFunction) continue;
      const std::string head = replace_words(item.text.substr(0, item.head_bytes), replace);
      item.text =
          head + replace_words(std::string_view(item.text).substr(item.head_bytes), replace);
      item.head_bytes = item.kind == Kind::kFunction ? head.size() : 0;
      item.name = replace(item.name);
    }
  }

  void number_file(const std::string& text, std::map<std::string, int>& numbers) {
    static const std::regex pattern(R"(\.file\s+(\d+)\s+("[^"]*"))");
    std::smatch match;
    if (!std::regex_search(text, match, pattern)) return;
    const auto known = files_.emplace(match[2], static_cast<int>(files_.size()) + 1).first;
    numbers[match[1]] = known->second;
  }

  static std::string with_files(const std::string& text,
                                const std::map<std::string, int>& numbers) {
    static const std::regex pattern(R"((\.loc\s+)(\d+)(\s+\d+\s+\d+)[^\n]*)");
    std::string out;
    auto from = text.cbegin();
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
      const auto number = numbers.find((*at)[2]);
      out.append(from, (*at)[0].first);
      if (number != numbers.end())
        out += fmt::format("{}{}{}", (*at)[1].str(), number->second, (*at)[3].str());
      from = (*at)[0].second;
    }
    return out.append(from, text.cend());
  }

  Status place(PtxItem& item, const std::map<std::string, int>& numbers) {
    if (item.kind != Kind::kVariable && item.kind != Kind::kFunction) return {};
    if (!defines(item)) {
      declared_.emplace(item.name, std::move(item));
      return {};
    }
    const auto [known, is_new] = defined_.emplace(item.name, item.linkage);
    if (!is_new) {
      if (item.linkage == Linkage::kWeak || known->second == Linkage::kWeak) return {};
      return Diagnostic{.message = fmt::format("'{}' is defined in two files", item.name),
                        .code = "bad-link"};
    }
    if (item.kind == Kind::kFunction) item.text = with_files(item.text, numbers);
    definitions_.push_back(std::move(item));
    return {};
  }

  int texts_ = 0;
  std::map<std::string, int> files_;
  std::map<std::string, PtxItem> declared_;
  std::map<std::string, Linkage> defined_;
  std::vector<PtxItem> definitions_;
};

// .version, .target and .address_size: those of the text with the highest version.
std::string head_of(const std::vector<PtxItem>& items) {
  std::string head;
  for (const PtxItem& item : items) {
    if (item.kind == Kind::kHeader) head += item.text + "\n";
  }
  return head;
}

}  // namespace

Result<std::string> link_ptx(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts[0];
  Linker linker;
  std::string head;
  for (const std::string& text : texts) {
    WL_TRY(std::vector<PtxItem> items, cut_items(text));
    head = std::max(head, head_of(items));
    WL_TRY_STATUS(linker.add(std::move(items)));
  }
  return linker.text(head);
}

}  // namespace warpledger::cuda
