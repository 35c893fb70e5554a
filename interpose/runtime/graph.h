// Handles of graphs, and work as CUDA's structures describe it.
#pragma once

#include "interpose/runtime/state.h"

namespace warpledger::cuda::runtime {

inline Graph* graph_of(cudaGraph_t handle) { return reinterpret_cast<Graph*>(handle); }
inline Node* node_of(cudaGraphNode_t handle) { return reinterpret_cast<Node*>(handle); }
inline cudaGraph_t handle_of(Graph* graph) { return reinterpret_cast<cudaGraph_t>(graph); }
inline Node* const* nodes_at(const cudaGraphNode_t* handles) {
  return reinterpret_cast<Node* const*>(handles);
}
inline Node** room_at(cudaGraphNode_t* handles) { return reinterpret_cast<Node**>(handles); }

/// Whether all edges wait for the whole of a node; others are named and refused.
bool are_full(const cudaGraphEdgeData* edges, size_t count);

// Each makes work of what the program says, or answers why it cannot be.
cudaError_t make_copy(Core& core, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                      Work* work);
cudaError_t make_copy_2d(Core& core, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind, Work* work);
cudaError_t make_copy_3d(Core& core, const cudaMemcpy3DParms* box, Work* work);
cudaError_t make_symbol_copy(Core& core, const void* variable, size_t offset, const void* from,
                             void* to, size_t bytes, Work* work);
cudaError_t make_kernel(Core& core, const cudaKernelNodeParams* params, Work* work);
cudaError_t make_fill(Core& core, const cudaMemsetParams* params, Work* work);
cudaError_t make_host(const cudaHostNodeParams* params, Work* work);
cudaError_t make_child(cudaGraph_t graph, Work* work);
cudaError_t make_event(Core& core, cudaEvent_t event, bool is_record, Work* work);
cudaError_t make_work(Core& core, const cudaGraphNodeParams* params, Work* work);

// And back; pointers inside stay valid as long as the node is not changed.
void describe(Node& node, cudaKernelNodeParams* params);
void describe(const Node& node, cudaMemcpy3DParms* params);
void describe(const Node& node, cudaMemsetParams* params);

/// What a kernel node was told beside its parameters outlives them. Pre: the same kind of work.
inline void keep_attributes(const Work& from, Work* to) {
  auto* kernel = std::get_if<KernelWork>(to);
  if (kernel == nullptr) return;
  kernel->request.cluster = std::get<KernelWork>(from).request.cluster;
  kernel->request.is_cooperative = std::get<KernelWork>(from).request.is_cooperative;
}

/// A new node with the work that `make` (Core&, Work* -> cudaError_t) makes.
template <class Make>
cudaError_t add(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count, Make make) {
  return call([&](Core& core) {
    Work work;
    if (const cudaError_t error = make(core, &work)) return error;
    if (const Error error = core.validate(work); error != Error::kNone) return as_cuda(error);
    return as_cuda(
        add_node(graph_of(graph), nodes_at(after), count, std::move(work), room_at(made)));
  });
}

/// Gives a node other work of its kind. Memory and conditions stay what they are.
template <class Make>
cudaError_t change(Core& core, Node* node, Make make) {
  Work work;
  if (node == nullptr || kind_of(node->work) >= NodeKind::kAllocate) return cudaErrorInvalidValue;
  if (const cudaError_t error = make(core, &work)) return error;
  if (work.index() != node->work.index()) return cudaErrorInvalidValue;
  keep_attributes(node->work, &work);
  if (const Error error = core.validate(work); error != Error::kNone) return as_cuda(error);
  node->work = std::move(work);
  return cudaSuccess;
}
template <class Make>
cudaError_t set(cudaGraphNode_t node, Make make) {
  return call([&](Core& core) { return change(core, node_of(node), make); });
}
/// Likewise the node's copy in an executable graph.
template <class Make>
cudaError_t set(cudaGraphExec_t handle, cudaGraphNode_t node, Make make) {
  return call([&](Core& core) {
    const GraphExec* exec = core.graphs().exec(reinterpret_cast<const GraphExec*>(handle));
    if (exec == nullptr || node == nullptr) return cudaErrorInvalidValue;
    return change(core, exec->graph->copy_of(*node_of(node)), make);
  });
}

}  // namespace warpledger::cuda::runtime
