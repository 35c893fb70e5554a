// Reads the facts of one TOML file into fields, and collects every fault found on the way: unknown
// groups and keys, wrong types, numbers without a source. It is the Visit of facts.h.
#pragma once

#include <toml++/toml.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "warpledger/base/diagnostic.h"
#include "warpledger/gpu/sourced.h"

namespace warpledger {

/// Where TOML says something stands, as a person reads it.
[[nodiscard]] Location place_of(const Source& text, const toml::source_region& region);

class FactReader {
 public:
  FactReader(const Source& text, const toml::table& root) : text_(text), root_(root) {}

  template <class T>
  void operator()(const char* group, const char* key, Sourced<T>& field) {
    if (const toml::node* node = expect(group, key)) read(group, key, *node, field);
  }
  template <class T>
  void operator()(const char* group, const char* key, Fact<T>& field) {
    const toml::node* node = expect(group, key);
    if (node == nullptr) return;
    Sourced<T> fact;
    read(group, key, *node, fact);
    field = fact;
  }

  /// A key outside the groups: "name". Absent leaves `field` as it is.
  template <class T>
  void top(const char* key, T& field) {
    top_keys_.insert(key);
    if (const toml::node* node = root_.get(key)) convert(key, *node, field);
  }

  /// Faults for groups and keys that nobody asked for.
  void refuse_the_rest();

  void fault(Diagnostic diagnostic) { faults_.push_back(std::move(diagnostic)); }
  [[nodiscard]] bool has(const std::string& group, const std::string& key) const {
    return found_.contains(group + "." + key);
  }
  /// The first fault with the others attached; nothing when there is none.
  [[nodiscard]] std::optional<Diagnostic> faults() const;
  [[nodiscard]] Location place(const toml::source_region& region) const {
    return place_of(text_, region);
  }

 private:
  const toml::node* expect(const char* group, const char* key);

  template <class T>
  void read(const char* group, const char* key, const toml::node& node, Sourced<T>& fact) {
    const toml::table& defaults = *root_.get_as<toml::table>(group);
    const toml::table* own = node.as_table();
    const toml::node* value = own != nullptr ? own->get("value") : &node;
    if (value == nullptr) return refuse(node, key, "a table with 'value'");
    convert(key, *value, fact.value);
    read_origin(key, node, own, defaults, fact.fidelity, fact.source);
    found_.insert(std::string(group) + "." + key);
  }
  void read_origin(const char* key, const toml::node& node, const toml::table* own,
                   const toml::table& defaults, Fidelity& fidelity, std::string& source);

  void convert(const char* key, const toml::node& node, int64_t& value);
  void convert(const char* key, const toml::node& node, double& value);
  void convert(const char* key, const toml::node& node, bool& value);
  void convert(const char* key, const toml::node& node, std::string& value);
  void convert(const char* key, const toml::node& node, std::vector<int64_t>& value);
  void convert(const char* key, const toml::node& node, std::vector<std::string>& value);
  void refuse(const toml::node& node, std::string_view key, std::string_view wanted);
  void refuse_unknown(const toml::key& key, const std::string& where,
                      const std::set<std::string>& known);

  const Source& text_;
  const toml::table& root_;
  std::set<std::string> top_keys_;
  std::map<std::string, std::set<std::string>> keys_;  // by group
  std::set<std::string> found_;
  std::vector<Diagnostic> faults_;
};

}  // namespace warpledger
