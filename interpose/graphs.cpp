#include "interpose/graphs.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "interpose/module.h"

namespace warpledger::cuda {
namespace {

bool is_acyclic(const Graph& graph) {
  if (!graph.order()) return false;
  return std::all_of(graph.nodes().begin(), graph.nodes().end(), [](const auto& node) {
    const auto inner = graphs_in(node->work);
    return std::all_of(inner.begin(), inner.end(), [](const auto& g) { return is_acyclic(*g); });
  });
}

/// Pairs of handles that are edges to be; false unless all are nodes of the graph.
bool are_nodes(const Graph& graph, Node* const* from, Node* const* to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!graph.owns(from[i]) || !graph.owns(to[i])) return false;
  }
  return true;
}

std::string label(const Node& node) {
  constexpr const char* kNames[] = {"",
                                    "copy",
                                    "fill",
                                    "host",
                                    "child graph",
                                    "empty",
                                    "wait for an event",
                                    "record an event",
                                    "allocate",
                                    "free",
                                    "conditional"};
  const auto* kernel = std::get_if<KernelWork>(&node.work);
  return kernel == nullptr ? kNames[node.work.index()] : kernel->request.kernel->name;
}

}  // namespace

Graph* Graphs::keep(std::unique_ptr<Graph> graph) {
  Graph* const handle = graph.get();
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

Error Graphs::instantiate(const Graph& graph, uint64_t flags, GraphExec** made) {
  if (!is_acyclic(graph)) return Error::kInvalidValue;
  auto exec = std::make_unique<GraphExec>(GraphExec{.graph = graph.clone(), .flags = flags});
  *made = exec.get();
  execs_.emplace(*made, std::move(exec));
  return Error::kNone;
}

GraphExec* Graphs::exec(const GraphExec* handle) const {
  const auto found = execs_.find(handle);
  return found == execs_.end() ? nullptr : found->second.get();
}

bool take_nodes(const Graph& graph, Node* const* handles, size_t count, std::vector<Node*>* nodes) {
  if (count != 0 && handles == nullptr) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!graph.owns(handles[i])) return false;
  }
  nodes->assign(handles, handles + count);
  return std::set<Node*>(nodes->begin(), nodes->end()).size() == count;
}

Error add_node(Graph* graph, Node* const* after, size_t count, Work work, Node** made) {
  std::vector<Node*> nodes;
  if (graph == nullptr || made == nullptr || !take_nodes(*graph, after, count, &nodes))
    return Error::kInvalidValue;
  *made = &graph->add(std::move(work), nodes);
  return Error::kNone;
}

Error add_edges(Graph* graph, Node* const* from, Node* const* to, size_t count) {
  if (count == 0) return Error::kNone;
  if (graph == nullptr || from == nullptr || to == nullptr || !are_nodes(*graph, from, to, count))
    return Error::kInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    if (!graph->connect(*from[i], *to[i])) return Error::kInvalidValue;
  }
  return Error::kNone;
}

Error remove_edges(Graph* graph, Node* const* from, Node* const* to, size_t count) {
  if (count == 0) return Error::kNone;
  if (graph == nullptr || from == nullptr || to == nullptr || !are_nodes(*graph, from, to, count))
    return Error::kInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    if (!graph->disconnect(*from[i], *to[i])) return Error::kInvalidValue;
  }
  return Error::kNone;
}

Error give_nodes(const std::vector<Node*>& nodes, Node** room, size_t* count) {
  if (count == nullptr) return Error::kInvalidValue;
  if (room == nullptr) return *count = nodes.size(), Error::kNone;
  for (size_t i = 0; i < *count; ++i) room[i] = i < nodes.size() ? nodes[i] : nullptr;
  *count = std::min(*count, nodes.size());
  return Error::kNone;
}

std::vector<Node*> all_nodes(const Graph& graph) {
  std::vector<Node*> nodes;
  for (const auto& node : graph.nodes()) nodes.push_back(node.get());
  return nodes;
}

std::vector<Node*> root_nodes(const Graph& graph) {
  std::vector<Node*> nodes = all_nodes(graph);
  std::erase_if(nodes, [](const Node* node) { return !node->after.empty(); });
  return nodes;
}

Error give_edges(const Graph& graph, Node** from, Node** to, size_t* count) {
  if (count == nullptr || (from == nullptr) != (to == nullptr)) return Error::kInvalidValue;
  if (from == nullptr) return *count = graph.edges(), Error::kNone;
  std::vector<Node*> starts, ends;
  for (const auto& node : graph.nodes()) {
    starts.insert(starts.end(), node->after.begin(), node->after.end());
    ends.resize(starts.size(), node.get());
  }
  size_t again = *count;
  const Error error = give_nodes(starts, from, count);
  return error != Error::kNone ? error : give_nodes(ends, to, &again);
}

std::string to_dot(const Graph& graph) {
  std::string out = "digraph graph_ {\n";
  for (const auto& node : graph.nodes()) {
    out += fmt::format("  n{} [label=\"{}\\n{}\"];\n", node->number, node->number, label(*node));
    for (const Node* dependency : node->after)
      out += fmt::format("  n{} -> n{};\n", dependency->number, node->number);
  }
  return out + "}\n";
}

}  // namespace warpledger::cuda
