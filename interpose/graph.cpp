#include "interpose/graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpledger::cuda {
namespace {

bool has(const std::vector<Node*>& nodes, const Node* node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

struct ByNumber {
  bool operator()(const Node* a, const Node* b) const { return a->number < b->number; }
};

Work copy_work(const Work& work) {
  Work copied = work;
  if (auto* child = std::get_if<ChildWork>(&copied)) child->graph = child->graph->clone();
  if (auto* conditional = std::get_if<ConditionalWork>(&copied)) {
    for (std::shared_ptr<Graph>& body : conditional->bodies) body = body->clone();
  }
  return copied;
}

}  // namespace

NodeKind kind_of(const Work& work) {
  constexpr NodeKind kKinds[] = {NodeKind::kKernel, NodeKind::kCopy,       NodeKind::kFill,
                                 NodeKind::kHost,   NodeKind::kChild,      NodeKind::kEmpty,
                                 NodeKind::kWait,   NodeKind::kRecord,     NodeKind::kAllocate,
                                 NodeKind::kFree,   NodeKind::kConditional};
  static_assert(std::size(kKinds) == std::variant_size_v<Work>);
  return kKinds[work.index()];
}

std::vector<std::shared_ptr<Graph>> graphs_in(const Work& work) {
  if (const auto* child = std::get_if<ChildWork>(&work)) return {child->graph};
  if (const auto* conditional = std::get_if<ConditionalWork>(&work)) return conditional->bodies;
  return {};
}

Node& Graph::add(Work work, const std::vector<Node*>& after) {
  nodes_.push_back(std::make_unique<Node>(
      Node{.graph = this, .number = next_number_++, .work = std::move(work)}));
  Node& node = *nodes_.back();
  for (Node* dependency : after) connect(*dependency, node);
  return node;
}

bool Graph::connect(Node& from, Node& to) {
  if (&from == &to || has(to.after, &from)) return false;
  to.after.push_back(&from);
  from.before.push_back(&to);
  return true;
}

bool Graph::disconnect(Node& from, Node& to) {
  if (!has(to.after, &from)) return false;
  std::erase(to.after, &from);
  std::erase(from.before, &to);
  return true;
}

void Graph::remove(Node& node) {
  for (Node* dependency : node.after) std::erase(dependency->before, &node);
  for (Node* dependent : node.before) std::erase(dependent->after, &node);
  std::erase_if(nodes_, [&](const auto& held) { return held.get() == &node; });
}

size_t Graph::edges() const {
  size_t count = 0;
  for (const auto& node : nodes_) count += node->after.size();
  return count;
}

bool Graph::owns(const Node* node) const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const auto& held) { return held.get() == node; });
}

std::optional<std::vector<Node*>> Graph::order() const {
  std::map<const Node*, size_t> missing;
  std::set<Node*, ByNumber> ready;
  for (const auto& node : nodes_) {
    missing[node.get()] = node->after.size();
    if (node->after.empty()) ready.insert(node.get());
  }
  std::vector<Node*> order;
  while (!ready.empty()) {
    Node* const node = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(node);
    for (Node* dependent : node->before) {
      if (--missing[dependent] == 0) ready.insert(dependent);
    }
  }
  if (order.size() != nodes_.size()) return {};
  return order;
}

bool Graph::leads_to(const Node& node, const std::vector<Node*>& ends) {
  std::set<const Node*> seen;
  std::vector<const Node*> open(ends.begin(), ends.end());
  while (!open.empty()) {
    const Node* at = open.back();
    open.pop_back();
    if (at == &node) return true;
    if (!seen.insert(at).second) continue;
    open.insert(open.end(), at->after.begin(), at->after.end());
  }
  return false;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  copy->conditions = conditions;
  copy->resources = resources;
  std::map<const Node*, Node*> copies;
  for (const auto& node : nodes_) {
    Node& made = copy->add(copy_work(node->work));
    made.origin = node.get();
    made.is_enabled = node->is_enabled;
    made.device = node->device;
    copies[node.get()] = &made;
  }
  for (const auto& node : nodes_) {
    for (const Node* dependency : node->after)
      copy->connect(*copies[dependency], *copies[node.get()]);
  }
  return copy;
}

Node* Graph::copy_of(const Node& origin) const {
  for (const auto& node : nodes_) {
    if (node->origin == &origin) return node.get();
    for (const auto& inner : graphs_in(node->work)) {
      if (Node* found = inner->copy_of(origin)) return found;
    }
  }
  return nullptr;
}

std::optional<ConditionalWork> empty_conditional(uint64_t condition, int choice, size_t bodies) {
  if (condition == 0 || choice < 0 || choice > static_cast<int>(Choice::kSwitch)) return {};
  ConditionalWork made{.condition = condition, .choice = static_cast<Choice>(choice)};
  const size_t most = made.choice == Choice::kWhile ? 1
                      : made.choice == Choice::kIf  ? 2
                                                    : UINT32_MAX;
  if (bodies == 0 || bodies > most) return {};
  for (size_t i = 0; i < bodies; ++i) made.bodies.push_back(std::make_shared<Graph>());
  return made;
}

}  // namespace warpledger::cuda
