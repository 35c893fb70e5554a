// An executable graph takes over the work of a graph of the same shape. Nodes correspond by the
// order in which they were made, which CUDA asks to be the same for graphs that are to match.
#include <algorithm>
#include <map>

#include "interpose/graphs.h"

namespace warpledger::cuda {
namespace {

using Pairs = std::vector<std::pair<Node*, const Node*>>;

/// By number in order of creation: handles differ between the two graphs.
std::vector<size_t> positions(const Graph& graph, const std::vector<Node*>& nodes) {
  std::vector<size_t> found;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node* node = graph.nodes()[i].get();
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) found.push_back(i);
  }
  return found;
}

// What is not the node's own to change: memory, and what a condition chooses between.
bool may_change(const Work& from, const Work& to) {
  if (const auto* memory = std::get_if<AllocateWork>(&from))
    return memory->bytes == std::get<AllocateWork>(to).bytes;
  if (const auto* conditional = std::get_if<ConditionalWork>(&from)) {
    const auto& other = std::get<ConditionalWork>(to);
    return conditional->condition == other.condition && conditional->choice == other.choice &&
           conditional->bodies.size() == other.bodies.size();
  }
  return true;
}

Update compare(Graph& graph, const Graph& other, Pairs* pairs);

Update compare(Node& node, const Node& other, Pairs* pairs) {
  if (node.work.index() != other.work.index()) return {UpdateResult::kNodeType, &other};
  if (positions(*node.graph, node.after) != positions(*other.graph, other.after)) {
    return {UpdateResult::kTopology, &other, other.after.empty() ? nullptr : other.after.front()};
  }
  if (!may_change(node.work, other.work)) return {UpdateResult::kParameters, &other};
  const auto mine = graphs_in(node.work), theirs = graphs_in(other.work);
  for (size_t i = 0; i < mine.size(); ++i) {
    const Update inner = compare(*mine[i], *theirs[i], pairs);
    if (inner.result != UpdateResult::kSuccess) return inner;
  }
  if (mine.empty()) pairs->emplace_back(&node, &other);
  return {};
}

Update compare(Graph& graph, const Graph& other, Pairs* pairs) {
  const auto &mine = graph.nodes(), &theirs = other.nodes();
  for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
    const Update node = compare(*mine[i], *theirs[i], pairs);
    if (node.result != UpdateResult::kSuccess) return node;
  }
  if (mine.size() == theirs.size()) return {};
  return {UpdateResult::kTopology,
          mine.size() < theirs.size() ? theirs[mine.size()].get() : nullptr};
}

}  // namespace

Update update(Graph& graph, const Graph& other) {
  Pairs pairs;
  const Update difference = compare(graph, other, &pairs);
  if (difference.result != UpdateResult::kSuccess) return difference;
  for (const auto& [node, from] : pairs) node->work = from->work;
  return {};
}

}  // namespace warpledger::cuda
