// Handles of graphs, for the driver's interface.
#pragma once

#include "interpose/driver/state.h"

namespace warpledger::cuda::driver {

inline Graph* graph_of(CUgraph handle) { return reinterpret_cast<Graph*>(handle); }
inline Node* node_of(CUgraphNode handle) { return reinterpret_cast<Node*>(handle); }
inline CUgraph handle_of(Graph* graph) { return reinterpret_cast<CUgraph>(graph); }
inline Node* const* nodes_at(const CUgraphNode* handles) {
  return reinterpret_cast<Node* const*>(handles);
}
inline Node** room_at(CUgraphNode* handles) { return reinterpret_cast<Node**>(handles); }

// Each makes work of what the program says, or answers why it cannot be.
CUresult make_kernel(const CUDA_KERNEL_NODE_PARAMS* params, Work* work);
CUresult make_copy(const CUDA_MEMCPY3D* box, Work* work);
CUresult make_fill(const CUDA_MEMSET_NODE_PARAMS* params, Work* work);
CUresult make_host(const CUDA_HOST_NODE_PARAMS* params, Work* work);
CUresult make_child(CUgraph graph, Work* work);
CUresult make_memory(Core& core, size_t bytes, int device, CUdeviceptr* address, Work* work);

/// A new node with the work that `make` (Core&, Work* -> CUresult) makes.
template <class Make>
CUresult add(CUgraphNode* made, CUgraph graph, const CUgraphNode* after, size_t count, Make make) {
  return call([&](Core& core) {
    Work work;
    if (const CUresult error = make(core, &work)) return error;
    if (const Error error = core.validate(work); error != Error::kNone) return as_result(error);
    return as_result(
        add_node(graph_of(graph), nodes_at(after), count, std::move(work), room_at(made)));
  });
}

/// Whether all edges wait for the whole of a node; others are named and refused.
bool are_full(const CUgraphEdgeData* edges, size_t count);

}  // namespace warpledger::cuda::driver
