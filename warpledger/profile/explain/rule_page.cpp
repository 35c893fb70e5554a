#include "warpledger/profile/explain/rule_page.h"

#include <algorithm>

#include "warpledger/profile/metrics/rules.h"

namespace warpledger::profile {
std::string_view RulePage::title() const {
  const std::string_view heading = markdown.substr(0, markdown.find('\n'));
  const size_t colon = heading.find(": ");
  return colon == std::string_view::npos ? heading : heading.substr(colon + 2);
}

std::string RulePage::summary() const {
  size_t begin = markdown.find("\n\n");
  if (begin == std::string_view::npos) return std::string(title());
  begin += 2;
  std::string text = plain(markdown.substr(begin, markdown.find("\n\n", begin) - begin));
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

const RulePage* find_rule_page(std::string_view id) {
  const std::span<const RulePage> pages = rule_pages();
  const auto found = std::find_if(pages.begin(), pages.end(),
                                  [id](const RulePage& page) { return page.id == id; });
  return found == pages.end() ? nullptr : &*found;
}

}  // namespace warpledger::profile
