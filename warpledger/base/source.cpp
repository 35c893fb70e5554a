#include "warpledger/base/source.h"

#include <algorithm>
#include <limits>

#include "warpledger/base/check.h"

namespace warpledger {

Span cover(Span a, Span b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  WL_CHECK(text_.size() < std::numeric_limits<uint32_t>::max());
  line_starts_.push_back(0);
  for (uint32_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::string_view Source::text(Span span) const {
  WL_CHECK(span.begin <= span.end && span.end <= text_.size());
  return std::string_view(text_).substr(span.begin, span.end - span.begin);
}

Location Source::locate(Span span) const {
  WL_CHECK(span.begin <= text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), span.begin);
  const uint32_t start = *(next - 1);
  const size_t newline = text_.find('\n', start);
  size_t stop = newline == std::string::npos ? text_.size() : newline;
  if (stop > start && text_[stop - 1] == '\r') --stop;
  const size_t end = std::min<size_t>(std::max(span.end, span.begin), stop);
  Location at;
  at.file = name_;
  at.line = static_cast<int>(next - line_starts_.begin());
  at.column = static_cast<int>(span.begin - start) + 1;
  at.length = std::max(1, static_cast<int>(end) - static_cast<int>(span.begin));
  at.line_text = text_.substr(start, stop - start);
  return at;
}

}  // namespace warpledger
