// Plain structures as JSON objects, field by field: writing and reading walk the same list of
// fields, visit(key, field). What is left out keeps its value; an unknown field is refused, since
// it may have been meant to change the answer.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpledger::profile {

struct FieldWriter {
  nlohmann::ordered_json& json;
  template <class T>
  requires(!std::is_enum_v<T>) void operator()(const char* key, const T& field) const {
    json[key] = field;
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& field) const {
    json[key] = field ? nlohmann::ordered_json(*field) : nlohmann::ordered_json(nullptr);
  }
};

/// Reads the fields that are there, keeps the first fault, and knows which keys nobody asked for.
class FieldReader {
 public:
  using Json = nlohmann::ordered_json;

  FieldReader(const Json& json, std::string& fault) : json_(json), fault_(fault) {
    if (!json.is_object()) fail("it is not a JSON object");
  }

  template <class T>
  requires(!std::is_enum_v<T>) void operator()(const char* key, T& field) {
    if (const Json* value = take(key)) read(key, *value, field);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& field) {
    const Json* value = take(key);
    if (value == nullptr || value->is_null()) return;
    read(key, *value, field.emplace());
  }
  /// The number of the word in `words`; nothing where the key is not there.
  std::optional<size_t> read_word(const char* key, std::span<const std::string_view> words);
  /// The value of the key; null where it is not there.
  const Json* take(const char* key) {
    known_.emplace_back(key);
    return fault_.empty() && json_.contains(key) ? &json_[key] : nullptr;
  }
  void refuse_others();

 private:
  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
  }

  // The library's conversions wrap numbers that a type cannot hold; these say which it can.
  template <class T>
  static bool fits(const Json&, const T&) {
    return true;
  }
  static bool fits(const Json& value, const bool&) { return value.is_boolean(); }
  static bool fits(const Json& value, const int64_t&) {
    return value.is_number_integer() &&
           (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX);
  }
  static bool fits(const Json& value, const uint64_t&) { return value.is_number_unsigned(); }
  static bool fits(const Json& value, const uint32_t&) {
    return value.is_number_unsigned() && value.get<uint64_t>() <= UINT32_MAX;
  }
  static bool fits(const Json& value, const std::array<uint32_t, 3>&) {
    return value.is_array() && value.size() == 3 &&
           std::all_of(value.begin(), value.end(),
                       [](const Json& number) { return fits(number, uint32_t{}); });
  }

  template <class T>
  void read(const char* key, const Json& value, T& field) {
    // The library's own conversions throw; nothing may throw across this room's interface.
    try {
      if (fits(value, field)) return static_cast<void>(field = value.get<T>());
    } catch (const Json::exception&) {
    }
    fail(fmt::format("'{}' has the wrong type", key));
  }

  const Json& json_;
  std::string& fault_;
  std::vector<std::string> known_;
};

}  // namespace warpledger::profile
