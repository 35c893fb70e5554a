#include "warpledger/ptx/names.h"

namespace warpledger::ptx {
namespace {

uint64_t hash_of(std::string_view name) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a: names are short
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash ^ (hash >> 32);
}

}  // namespace

Names::Names() : table_(1024, 0) {}

size_t Names::slot(std::string_view name, uint64_t hash) const {
  size_t i = hash & (table_.size() - 1);
  while (table_[i] != 0 && (hashes_[table_[i] - 1] != hash || texts_[table_[i] - 1] != name)) {
    i = (i + 1) & (table_.size() - 1);
  }
  return i;
}

uint32_t Names::number(std::string_view name) {
  const uint64_t hash = hash_of(name);
  const size_t i = slot(name, hash);
  if (table_[i] != 0) return table_[i] - 1;
  texts_.push_back(name);
  hashes_.push_back(hash);
  bindings_.emplace_back();
  table_[i] = static_cast<uint32_t>(texts_.size());
  if (texts_.size() * 2 > table_.size()) grow();
  return static_cast<uint32_t>(texts_.size() - 1);
}

void Names::grow() {
  table_.assign(table_.size() * 2, 0);
  for (uint32_t i = 0; i < texts_.size(); ++i) table_[slot(texts_[i], hashes_[i])] = i + 1;
}

Binding Names::find(std::string_view name) const {
  const size_t i = slot(name, hash_of(name));
  return table_[i] == 0 ? Binding{} : bindings_[table_[i] - 1];
}

bool Names::declare(uint32_t number, Meaning meaning, uint32_t index) {
  const Binding& before = bindings_[number];
  if (before.meaning != Meaning::kNothing && before.depth == depth()) return false;
  redeclare(number, meaning, index);
  return true;
}

void Names::redeclare(uint32_t number, Meaning meaning, uint32_t index) {
  if (!blocks_.empty()) undo_.push_back({number, bindings_[number]});
  bindings_[number] = {meaning, index, depth()};
}

void Names::close_block() {
  while (undo_.size() > blocks_.back()) {
    bindings_[undo_.back().number] = undo_.back().before;
    undo_.pop_back();
  }
  blocks_.pop_back();
}

std::vector<std::string_view> Names::in_scope() const {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (bindings_[i].meaning != Meaning::kNothing) names.push_back(texts_[i]);
  }
  return names;
}

}  // namespace warpledger::ptx
