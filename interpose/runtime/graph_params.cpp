// Get and set node parameters: in a graph, and in an executable graph, which has a copy.
#include <cstring>

#include "interpose/runtime/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

/// The work of a node, if it is of that type.
template <class T, class Body>
cudaError_t get(cudaGraphNode_t node, const void* room, Body body) {
  return call([&](Core&) {
    if (node == nullptr || room == nullptr || !std::holds_alternative<T>(node_of(node)->work))
      return cudaErrorInvalidValue;
    body(*node_of(node), std::get<T>(node_of(node)->work));
    return cudaSuccess;
  });
}
template <class T>
cudaError_t get_event(cudaGraphNode_t node, cudaEvent_t* event) {
  return get<T>(node, event, [&](Node&, const T& work) {
    *event = reinterpret_cast<cudaEvent_t>(work.event.get());
  });
}

auto kernel(const cudaKernelNodeParams* params) {
  return [=](Core& core, Work* work) { return make_kernel(core, params, work); };
}
auto copy(const cudaMemcpy3DParms* params) {
  return [=](Core& core, Work* work) { return make_copy_3d(core, params, work); };
}
auto copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return [=](Core& core, Work* work) { return make_copy(core, to, from, bytes, kind, work); };
}
auto copy_symbol(const void* variable, size_t offset, const void* from, void* to, size_t bytes) {
  return [=](Core& core, Work* work) {
    return make_symbol_copy(core, variable, offset, from, to, bytes, work);
  };
}
auto fill(const cudaMemsetParams* params) {
  return [=](Core& core, Work* work) { return make_fill(core, params, work); };
}
auto host(const cudaHostNodeParams* params) {
  return [=](Core&, Work* work) { return make_host(params, work); };
}
auto event_work(cudaEvent_t event, bool is_record) {
  return [=](Core& core, Work* work) { return make_event(core, event, is_record, work); };
}
auto any(const cudaGraphNodeParams* params) {
  return [=](Core& core, Work* work) { return make_work(core, params, work); };
}

}  // namespace

extern "C" {

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return get<KernelWork>(node, params, [&](Node& one, const auto&) { describe(one, params); });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return set(node, kernel(params));
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return set(exec, node, kernel(params));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return get<CopyWork>(node, params, [&](Node& one, const auto&) { describe(one, params); });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return set(node, copy(params));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           size_t bytes, cudaMemcpyKind kind) {
  return set(node, copy(to, from, bytes, kind));
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* variable,
                                                 const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind) {
  return set(node, copy_symbol(variable, offset, from, nullptr, bytes));
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                   const void* variable, size_t bytes,
                                                   size_t offset, cudaMemcpyKind) {
  return set(node, copy_symbol(variable, offset, nullptr, to, bytes));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* params) {
  return set(exec, node, copy(params));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return set(exec, node, copy(to, from, bytes, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void* variable, const void* from,
                                                     size_t bytes, size_t offset, cudaMemcpyKind) {
  return set(exec, node, copy_symbol(variable, offset, from, nullptr, bytes));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void* to, const void* variable, size_t bytes,
                                                       size_t offset, cudaMemcpyKind) {
  return set(exec, node, copy_symbol(variable, offset, nullptr, to, bytes));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return get<FillWork>(node, params, [&](Node& one, const auto&) { describe(one, params); });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return set(node, fill(params));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return set(exec, node, fill(params));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return get<HostWork>(node, params, [&](Node&, const HostWork& work) {
    *params = {work.function, work.data};
  });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return set(node, host(params));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  return set(exec, node, host(params));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event<RecordWork>(node, event);
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(node, event_work(event, true));
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return set(exec, node, event_work(event, true));
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event<WaitWork>(node, event);
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(node, event_work(event, false));
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return set(exec, node, event_work(event, false));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  return get<AllocateWork>(node, params, [&](Node&, const AllocateWork& work) {
    std::memset(params, 0, sizeof *params);
    params->poolProps.allocType = cudaMemAllocationTypePinned;
    params->poolProps.location.type = cudaMemLocationTypeDevice;
    params->bytesize = work.bytes;
    params->dptr = reinterpret_cast<void*>(work.address);
  });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* address) {
  return get<FreeWork>(node, address, [&](Node&, const FreeWork& work) {
    std::memcpy(address, &work.address, sizeof work.address);
  });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return get<ChildWork>(
      node, graph, [&](Node&, const ChildWork& work) { *graph = handle_of(work.graph.get()); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return set(node, any(params));
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  return set(exec, node, any(params));
}

// Of the attributes a launch may have, two change what is computed; the others are hints.
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
  return get<KernelWork>(node, value, [&](Node& one, const auto&) {
    LaunchRequest& request = std::get<KernelWork>(one.work).request;
    const auto& size = value->clusterDim;
    if (attribute == cudaLaunchAttributeCooperative)
      request.is_cooperative = value->cooperative != 0;
    if (attribute == cudaLaunchAttributeClusterDimension)
      request.cluster = {size.x, size.y, size.z};
  });
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
  return get<KernelWork>(node, value, [&](Node&, const KernelWork& work) {
    std::memset(value, 0, sizeof *value);
    const warpledger::exec::Extent& size = work.request.cluster;
    if (attribute == cudaLaunchAttributeCooperative)
      value->cooperative = work.request.is_cooperative ? 1 : 0;
    if (attribute == cudaLaunchAttributeClusterDimension) {
      value->clusterDim.x = size[0];
      value->clusterDim.y = size[1];
      value->clusterDim.z = size[2];
    }
  });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return get<KernelWork>(to, from, [&](Node& one, const auto&) {
    if (std::holds_alternative<KernelWork>(node_of(from)->work))
      keep_attributes(node_of(from)->work, &one.work);
  });
}
}
