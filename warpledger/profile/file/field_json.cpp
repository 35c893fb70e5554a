#include "warpledger/profile/file/field_json.h"

namespace warpledger::profile {

std::optional<size_t> FieldReader::read_word(const char* key,
                                             std::span<const std::string_view> words) {
  const Json* value = take(key);
  if (value == nullptr) return {};
  std::string word;
  read(key, *value, word);
  if (!fault_.empty()) return {};
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  fail(fmt::format("'{}' cannot be '{}': {}", key, word, fmt::join(words, ", ")));
  return {};
}

void FieldReader::refuse_others() {
  if (!fault_.empty()) return;
  for (const auto& [key, value] : json_.items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      return fail(fmt::format("unknown field '{}'", key));
  }
}

}  // namespace warpledger::profile
