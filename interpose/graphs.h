// Graphs and executable graphs by handle, and what both doors do with them. A handle is the object
// itself; graphs inside nodes belong to their nodes.
#pragma once

#include <map>

#include "interpose/error.h"
#include "interpose/graph.h"

namespace warpledger::cuda {

/// A copy of a graph that is launched; changes of the graph do not reach it.
struct GraphExec {
  std::unique_ptr<Graph> graph;
  uint64_t flags = 0;
};
inline constexpr uint64_t kAutoFreeOnLaunch = 1;  // cudaGraphInstantiateFlagAutoFreeOnLaunch

/// Why an executable graph cannot become like another graph; the numbers of CUDA.
enum class UpdateResult { kSuccess, kError, kTopology, kNodeType, kFunction, kParameters };
struct Update {
  UpdateResult result = UpdateResult::kSuccess;
  const Node *node = nullptr, *from = nullptr;  // in the other graph
};

class Graphs {
 public:
  [[nodiscard]] Graph* keep(std::unique_ptr<Graph> graph);
  [[nodiscard]] bool destroy(const Graph* graph) { return graphs_.erase(graph) != 0; }

  /// Fails when there is a cycle.
  [[nodiscard]] Error instantiate(const Graph& graph, uint64_t flags, GraphExec** made);
  [[nodiscard]] GraphExec* exec(const GraphExec* handle) const;
  [[nodiscard]] bool destroy(const GraphExec* handle) { return execs_.erase(handle) != 0; }

 private:
  std::map<const Graph*, std::unique_ptr<Graph>> graphs_;
  std::map<const GraphExec*, std::unique_ptr<GraphExec>> execs_;
};

/// The nodes of an array of handles. False when one is null, twice there, or of another graph.
[[nodiscard]] bool take_nodes(const Graph& graph, Node* const* handles, size_t count,
                              std::vector<Node*>* nodes);
[[nodiscard]] Error add_node(Graph* graph, Node* const* after, size_t count, Work work,
                             Node** made);
[[nodiscard]] Error add_edges(Graph* graph, Node* const* from, Node* const* to, size_t count);
[[nodiscard]] Error remove_edges(Graph* graph, Node* const* from, Node* const* to, size_t count);

/// As CUDA gives lists: the number where there is no room, else as many as fit, then nulls.
[[nodiscard]] Error give_nodes(const std::vector<Node*>& nodes, Node** room, size_t* count);
[[nodiscard]] std::vector<Node*> all_nodes(const Graph& graph);
[[nodiscard]] std::vector<Node*> root_nodes(const Graph& graph);
/// Likewise for edges: from and to, both or none.
[[nodiscard]] Error give_edges(const Graph& graph, Node** from, Node** to, size_t* count);

/// Gives `graph` the work of `other`, whose nodes and edges must be the same in order of creation.
[[nodiscard]] Update update(Graph& graph, const Graph& other);
/// In the language of Graphviz.
[[nodiscard]] std::string to_dot(const Graph& graph);

}  // namespace warpledger::cuda
