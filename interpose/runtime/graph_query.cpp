// Graphs as wholes: made, copied, destroyed, and what they consist of.
#include <cstdio>

#include "interpose/runtime/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

/// Every edge waits for the whole of its node.
void clear(cudaGraphEdgeData* edges, const size_t* count) {
  for (size_t i = 0; edges != nullptr && i < *count; ++i) edges[i] = {};
}

/// Runs `body` (handle -> Error) unless the handle is null.
template <class Handle, class Body>
cudaError_t with(Handle handle, Body body) {
  return call(
      [&](Core&) { return handle == nullptr ? cudaErrorInvalidValue : as_cuda(body(handle)); });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call([&](Core& core) {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    return answer(graph, handle_of(core.graphs().keep(std::make_unique<Graph>())));
  });
}
cudaError_t cudaGraphClone(cudaGraph_t* made, cudaGraph_t graph) {
  return call([&](Core& core) {
    if (made == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    return answer(made, handle_of(core.graphs().keep(graph_of(graph)->clone())));
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&](Core& core) {
    const bool done =
        !core.captures().uses(graph_of(graph)) && core.graphs().destroy(graph_of(graph));
    return done ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t origin,
                                     cudaGraph_t clone) {
  return call([&](Core&) {
    if (node == nullptr || origin == nullptr || clone == nullptr) return cudaErrorInvalidValue;
    Node* found = graph_of(clone)->copy_of(*node_of(origin));
    *node = reinterpret_cast<cudaGraphNode_t>(found);
    return found == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return call([&](Core& core) {
    if (node == nullptr || core.captures().uses(node_of(node)->graph)) return cudaErrorInvalidValue;
    node_of(node)->graph->remove(*node_of(node));
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call([&](Core&) {
    return node == nullptr ? cudaErrorInvalidValue : answer(type, kind_of(node_of(node)->work));
  });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with(graph, [&](cudaGraph_t one) {
    return give_nodes(all_nodes(*graph_of(one)), room_at(nodes), count);
  });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with(graph, [&](cudaGraph_t one) {
    return give_nodes(root_nodes(*graph_of(one)), room_at(nodes), count);
  });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edges, size_t* count) {
  return with(graph, [&](cudaGraph_t one) {
    const Error error = give_edges(*graph_of(one), room_at(from), room_at(to), count);
    if (error == Error::kNone && from != nullptr) clear(edges, count);
    return error;
  });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* edges, size_t* count) {
  return with(node, [&](cudaGraphNode_t one) {
    const Error error = give_nodes(node_of(one)->after, room_at(nodes), count);
    if (error == Error::kNone && nodes != nullptr) clear(edges, count);
    return error;
  });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* edges, size_t* count) {
  return with(node, [&](cudaGraphNode_t one) {
    const Error error = give_nodes(node_of(one)->before, room_at(nodes), count);
    if (error == Error::kNone && nodes != nullptr) clear(edges, count);
    return error;
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                     size_t count) {
  return call([&](Core&) {
    if (!are_full(edges, count)) return cudaErrorNotSupported;
    return as_cuda(add_edges(graph_of(graph), nodes_at(from), nodes_at(to), count));
  });
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        size_t count) {
  return call([&](Core&) {
    return as_cuda(remove_edges(graph_of(graph), nodes_at(from), nodes_at(to), count));
  });
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return call([&](Core&) {
    FILE* file = graph == nullptr || path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return cudaErrorInvalidValue;
    const std::string text = to_dot(*graph_of(graph));
    const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && good ? cudaSuccess : cudaErrorOperatingSystem;
  });
}
}
