#include "warpledger/ptx/scanner.h"

namespace warpledger::ptx {

void Scanner::note_marker(std::string_view comment) {
  if (comment.starts_with("// begin inline asm")) inline_asm_ = position();
  if (comment.starts_with("// end inline asm")) inline_asm_ = 0;
}

bool Scanner::skip_comment() {
  if (at_[1] == '/') {
    const char* const start = at_;
    while (at_ < end_ && *at_ != '\n') ++at_;
    note_marker({start, static_cast<size_t>(at_ - start)});
    return true;
  }
  if (at_[1] != '*') return false;
  at_ += 2;
  while (at_ < end_ && !(*at_ == '*' && at_[1] == '/')) ++at_;
  if (at_ < end_) at_ += 2;  // a comment that never ends runs to the end of the text
  return true;
}

bool Scanner::quoted() {
  if (*at_ != '"') return false;
  for (++at_; at_ < end_ && *at_ != '\n'; ++at_) {
    if (*at_ == '\\' && at_ + 1 < end_) {
      ++at_;
    } else if (*at_ == '"') {
      ++at_;
      return true;
    }
  }
  return false;
}

bool Scanner::braced() {
  int depth = 0;
  while (at_ < end_) {
    const char c = *at_;
    if (c == '"') {
      if (!quoted()) return false;
      continue;
    }
    if (c == '/' && skip_comment()) continue;
    ++at_;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return true;
  }
  return false;
}

}  // namespace warpledger::ptx
