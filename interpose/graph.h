// A CUDA graph: nodes with work, and edges that say which must be done before which.
#pragma once

#include <optional>

#include "interpose/devices.h"
#include "interpose/work.h"

namespace warpledger::cuda {

struct Node {
  Graph* graph = nullptr;
  uint64_t number = 0;  // in order of creation
  Work work;
  std::vector<Node*> after = {};   // its dependencies, each once
  std::vector<Node*> before = {};  // its dependents
  const Node* origin = nullptr;    // what it was copied from
  bool is_enabled = true;
  int device = Devices::current();  // that does the work
  // Lent to the program that asks for the node's parameters; as old as the last question.
  std::vector<void*> pointers = {};
  std::vector<Graph*> bodies = {};
};

/// The value of conditional nodes.
struct Condition {
  uint64_t address = 0;
  uint32_t initial = 0;
  bool is_initialized = false;  // each launch begins with `initial`
};

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Pre: `after` holds nodes of this graph, each once.
  Node& add(Work work, const std::vector<Node*>& after = {});
  /// False when the edge exists, or joins a node with itself.
  bool connect(Node& from, Node& to);
  /// False when there is no such edge.
  bool disconnect(Node& from, Node& to);
  void remove(Node& node);

  [[nodiscard]] const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  [[nodiscard]] size_t edges() const;
  [[nodiscard]] bool owns(const Node* node) const;
  /// Every node after its dependencies, in order of creation among those that are ready.
  /// Nothing when there is a cycle.
  [[nodiscard]] std::optional<std::vector<Node*>> order() const;
  /// Whether `node` is one of `ends` or must be done before one of them.
  [[nodiscard]] static bool leads_to(const Node& node, const std::vector<Node*>& ends);

  /// With copies of child graphs and bodies; `origin` of a copy is the node here.
  [[nodiscard]] std::unique_ptr<Graph> clone() const;
  /// The copy of `origin` here, or in a child graph or body; null when there is none.
  [[nodiscard]] Node* copy_of(const Node& origin) const;

  std::vector<Condition> conditions = {};
  /// What must live as long as this graph and its copies.
  std::vector<std::shared_ptr<void>> resources = {};

 private:
  uint64_t next_number_ = 0;
  std::vector<std::unique_ptr<Node>> nodes_;
};

/// The graphs inside a node: a child graph, or the bodies of a conditional node.
[[nodiscard]] std::vector<std::shared_ptr<Graph>> graphs_in(const Work& work);

/// A conditional node with so many empty bodies. Nothing unless there is a condition, the number
/// of the choice is one of Choice, and it has as many bodies as it may: IF 1 or 2, WHILE 1.
[[nodiscard]] std::optional<ConditionalWork> empty_conditional(uint64_t condition, int choice,
                                                               size_t bodies);

}  // namespace warpledger::cuda
