#include "warpledger/sass/witness/place.h"

#include <algorithm>

namespace warpledger::sass {
namespace {

/// The number of the line that holds a byte, counted from 1.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') ends_.push_back(static_cast<uint32_t>(at));
    }
  }
  [[nodiscard]] size_t count() const { return ends_.size() + 1; }
  [[nodiscard]] size_t of(uint32_t byte) const {
    return static_cast<size_t>(std::lower_bound(ends_.begin(), ends_.end(), byte) - ends_.begin()) +
           1;
  }

 private:
  std::vector<uint32_t> ends_;
};

}  // namespace

std::vector<Place> places_of_lines(const ptx::Module& module) {
  const Lines lines(module.source->text());
  std::vector<Place> places(lines.count() + 1);
  for (uint32_t f = 0; f < module.functions.size(); ++f) {
    const ptx::Function& function = module.functions[f];
    for (uint32_t i = 0; i < function.instructions.size(); ++i) {
      const Span span = function.instructions[i].span;
      const size_t last = lines.of(span.end > span.begin ? span.end - 1 : span.begin);
      for (size_t line = lines.of(span.begin); line <= last; ++line) places[line] = {f, i};
    }
  }
  return places;
}

}  // namespace warpledger::sass
