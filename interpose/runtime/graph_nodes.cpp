// New nodes of a graph.
#include <cstring>

#include "interpose/runtime/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

cudaError_t make_memory(Core& core, size_t bytes, int device, void** address, Work* work) {
  if (!core.devices().has(device)) return cudaErrorInvalidValue;
  const auto reserved = core.memory().reserve(bytes, device);
  if (!reserved) return cudaErrorMemoryAllocation;
  *work = AllocateWork{*reserved, bytes};
  *address = reinterpret_cast<void*>(*reserved);
  return cudaSuccess;
}

/// The bodies of a new conditional node, for the program to fill.
void give_bodies(Node& node, cudaConditionalNodeParams& params) {
  node.bodies.clear();
  for (const auto& body : graphs_in(node.work)) node.bodies.push_back(body.get());
  params.phGraph_out = reinterpret_cast<cudaGraph_t*>(node.bodies.data());
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* params) {
  return add(made, graph, after, count,
             [&](Core& core, Work* work) { return make_kernel(core, params, work); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* params) {
  return add(made, graph, after, count,
             [&](Core& core, Work* work) { return make_copy_3d(core, params, work); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* made, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add(made, graph, after, count,
             [&](Core& core, Work* work) { return make_copy(core, to, from, bytes, kind, work); });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* made, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, size_t count,
                                           const void* variable, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind) {
  return add(made, graph, after, count, [&](Core& core, Work* work) {
    return make_symbol_copy(core, variable, offset, from, nullptr, bytes, work);
  });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* made, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, size_t count, void* to,
                                             const void* variable, size_t bytes, size_t offset,
                                             cudaMemcpyKind) {
  return add(made, graph, after, count, [&](Core& core, Work* work) {
    return make_symbol_copy(core, variable, offset, nullptr, to, bytes, work);
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* params) {
  return add(made, graph, after, count,
             [&](Core& core, Work* work) { return make_fill(core, params, work); });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* params) {
  return add(made, graph, after, count, [&](Core&, Work* work) { return make_host(params, work); });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, size_t count,
                                       cudaGraph_t child) {
  return add(made, graph, after, count, [&](Core&, Work* work) { return make_child(child, work); });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t count) {
  return add(made, graph, after, count, [](Core&, Work* work) {
    *work = EmptyWork{};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t count,
                                        cudaEvent_t event) {
  return add(made, graph, after, count,
             [&](Core& core, Work* work) { return make_event(core, event, true, work); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, size_t count,
                                      cudaEvent_t event) {
  return add(made, graph, after, count,
             [&](Core& core, Work* work) { return make_event(core, event, false, work); });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count,
                                     cudaMemAllocNodeParams* params) {
  return add(made, graph, after, count, [&](Core& core, Work* work) {
    if (params == nullptr || params->bytesize == 0) return cudaErrorInvalidValue;
    return make_memory(core, params->bytesize, params->poolProps.location.id, &params->dptr, work);
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* made, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, size_t count, void* address) {
  return add(made, graph, after, count, [&](Core&, Work* work) {
    *work = FreeWork{number(address)};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* edges, size_t count,
                             cudaGraphNodeParams* params) {
  const cudaError_t error = add(made, graph, after, count, [&](Core& core, Work* work) {
    if (!are_full(edges, count)) return cudaErrorNotSupported;
    if (params == nullptr || params->type != cudaGraphNodeTypeMemAlloc)
      return make_work(core, params, work);
    if (params->alloc.bytesize == 0) return cudaErrorInvalidValue;
    return make_memory(core, params->alloc.bytesize, params->alloc.poolProps.location.id,
                       &params->alloc.dptr, work);
  });
  if (error == cudaSuccess && params->type == cudaGraphNodeTypeConditional)
    give_bodies(*node_of(*made), params->conditional);
  return error;
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned initial, unsigned flags) {
  return call([&](Core& core) {
    if (handle == nullptr || graph == nullptr || flags > cudaGraphCondAssignDefault)
      return cudaErrorInvalidValue;
    uint64_t made = 0;
    const Error error = core.create_condition(*graph_of(graph), initial,
                                              flags == cudaGraphCondAssignDefault, &made);
    *handle = made;
    return as_cuda(error);
  });
}
}
