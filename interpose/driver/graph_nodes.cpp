// Nodes of graphs and what they do, for the driver's interface.
#include <cstring>

#include "interpose/driver/graph.h"

namespace warpledger::cuda::driver {

bool are_full(const CUgraphEdgeData* edges, size_t count) {
  for (size_t i = 0; edges != nullptr && i < count; ++i) {
    if (edges[i].from_port == 0 && edges[i].to_port == 0 && edges[i].type == 0) continue;
    Core::say("edges of a graph that wait for a part of a kernel (programmatic) are not supported");
    return false;
  }
  return true;
}

CUresult make_kernel(const CUDA_KERNEL_NODE_PARAMS* params, Work* work) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const void* function = params->func != nullptr ? static_cast<const void*>(params->func)
                                                 : static_cast<const void*>(params->kern);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  KernelWork made{.function = function};
  LaunchRequest& request = made.request;
  request.kernel = static_cast<Kernel*>(const_cast<void*>(function));
  request.grid = {params->gridDimX, params->gridDimY, params->gridDimZ};
  request.block = {params->blockDimX, params->blockDimY, params->blockDimZ};
  request.dynamic_shared_bytes = params->sharedMemBytes;
  auto packed = pack(*request.kernel, params->kernelParams, params->extra);
  if (!packed) return CUDA_ERROR_INVALID_VALUE;
  request.params = *std::move(packed);
  *work = std::move(made);
  return CUDA_SUCCESS;
}

CUresult make_copy(const CUDA_MEMCPY3D* box, Work* work) {
  if (box == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (box->srcMemoryType == CU_MEMORYTYPE_ARRAY || box->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
    Core::say("copies to and from CUDA arrays are not supported");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  const bool to_host = box->dstMemoryType == CU_MEMORYTYPE_HOST;
  const bool from_host = box->srcMemoryType == CU_MEMORYTYPE_HOST;
  const uint64_t to = to_host ? reinterpret_cast<uint64_t>(box->dstHost) : box->dstDevice;
  const uint64_t from = from_host ? reinterpret_cast<uint64_t>(box->srcHost) : box->srcDevice;
  CopyWork copy{.width = box->WidthInBytes, .height = box->Height, .depth = box->Depth};
  copy.to_pitch = box->dstPitch;
  copy.from_pitch = box->srcPitch;
  copy.to_slice = box->dstPitch * box->dstHeight;
  copy.from_slice = box->srcPitch * box->srcHeight;
  copy.to = to + box->dstZ * copy.to_slice + box->dstY * copy.to_pitch + box->dstXInBytes;
  copy.from = from + box->srcZ * copy.from_slice + box->srcY * copy.from_pitch + box->srcXInBytes;
  *work = copy;
  return CUDA_SUCCESS;
}

CUresult make_fill(const CUDA_MEMSET_NODE_PARAMS* params, Work* work) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *work = FillWork{.to = params->dst,
                   .value = params->value,
                   .element_bytes = params->elementSize,
                   .width = params->width,
                   .height = params->height,
                   .pitch = params->pitch};
  return CUDA_SUCCESS;
}

CUresult make_host(const CUDA_HOST_NODE_PARAMS* params, Work* work) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return *work = HostWork{params->fn, params->userData}, CUDA_SUCCESS;
}

CUresult make_child(CUgraph graph, Work* work) {
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return *work = ChildWork{graph_of(graph)->clone()}, CUDA_SUCCESS;
}

CUresult make_memory(Core& core, size_t bytes, int device, CUdeviceptr* address, Work* work) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (!core.devices().has(device)) return CUDA_ERROR_INVALID_VALUE;
  const auto reserved = core.memory().reserve(bytes, device);
  if (!reserved) return CUDA_ERROR_OUT_OF_MEMORY;
  *work = AllocateWork{*reserved, bytes};
  return answer(address, *reserved);
}

namespace {

/// Gives a node of a graph, or its copy in an executable graph, other work of its kind.
template <class Make>
CUresult set(CUgraphExec handle, CUgraphNode node, Make make) {
  return call([&](Core& core) {
    const GraphExec* exec = core.graphs().exec(reinterpret_cast<const GraphExec*>(handle));
    if (node == nullptr || (handle != nullptr && exec == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    Node* own = exec == nullptr ? node_of(node) : exec->graph->copy_of(*node_of(node));
    Work work;
    if (own == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult error = make(core, &work)) return error;
    if (work.index() != own->work.index()) return CUDA_ERROR_INVALID_VALUE;
    if (const Error error = core.validate(work); error != Error::kNone) return as_result(error);
    own->work = std::move(work);
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace warpledger::cuda::driver

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

extern "C" {

CUresult cuGraphAddKernelNode_v2(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS* params) {
  return add(made, graph, after, count,
             [&](Core&, Work* work) { return make_kernel(params, work); });
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  return call([&](Core&) {
    auto* work = node == nullptr ? nullptr : std::get_if<KernelWork>(&node_of(node)->work);
    if (work == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    LaunchRequest& request = work->request;
    std::vector<void*>& pointers = node_of(node)->pointers;
    pointers.clear();
    for (const uint64_t offset : parameter_offsets(*request.kernel))
      pointers.push_back(request.params.data() + offset);
    std::memset(params, 0, sizeof *params);
    params->func = reinterpret_cast<CUfunction>(request.kernel);
    params->gridDimX = request.grid[0], params->gridDimY = request.grid[1];
    params->gridDimZ = request.grid[2], params->blockDimX = request.block[0];
    params->blockDimY = request.block[1], params->blockDimZ = request.block[2];
    params->sharedMemBytes = request.dynamic_shared_bytes;
    params->kernelParams = pointers.data();
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  return set(nullptr, node, [&](Core&, Work* work) { return make_kernel(params, work); });
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* params) {
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set(exec, node, [&](Core&, Work* work) { return make_kernel(params, work); });
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                              size_t count, const CUDA_MEMCPY3D* params, CUcontext) {
  return add(made, graph, after, count, [&](Core&, Work* work) { return make_copy(params, work); });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* params) {
  return set(nullptr, node, [&](Core&, Work* work) { return make_copy(params, work); });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* params, CUcontext) {
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set(exec, node, [&](Core&, Work* work) { return make_copy(params, work); });
}
CUresult cuGraphAddMemsetNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext) {
  return add(made, graph, after, count, [&](Core&, Work* work) { return make_fill(params, work); });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params) {
  return set(nullptr, node, [&](Core&, Work* work) { return make_fill(params, work); });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* params, CUcontext) {
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set(exec, node, [&](Core&, Work* work) { return make_fill(params, work); });
}
CUresult cuGraphAddHostNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                            size_t count, const CUDA_HOST_NODE_PARAMS* params) {
  return add(made, graph, after, count, [&](Core&, Work* work) { return make_host(params, work); });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* params) {
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set(exec, node, [&](Core&, Work* work) { return make_host(params, work); });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                             size_t count) {
  return add(made, graph, after, count,
             [](Core&, Work* work) { return *work = EmptyWork{}, CUDA_SUCCESS; });
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                                  size_t count, CUgraph child) {
  return add(made, graph, after, count, [&](Core&, Work* work) { return make_child(child, work); });
}
CUresult cuGraphAddEventRecordNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                                   size_t count, CUevent event) {
  return add(made, graph, after, count, [&](Core& core, Work* work) {
    return *work = RecordWork{event_of(core, event)}, CUDA_SUCCESS;
  });
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                                 size_t count, CUevent event) {
  return add(made, graph, after, count, [&](Core& core, Work* work) {
    return *work = WaitWork{event_of(core, event)}, CUDA_SUCCESS;
  });
}
CUresult cuGraphAddMemAllocNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  return add(made, graph, after, count, [&](Core& core, Work* work) {
    if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return make_memory(core, params->bytesize, params->poolProps.location.id, &params->dptr, work);
  });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                               size_t count, CUdeviceptr address) {
  return add(made, graph, after, count,
             [&](Core&, Work* work) { return *work = FreeWork{address}, CUDA_SUCCESS; });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return call([&](Core&) {
    auto* work = node == nullptr ? nullptr : std::get_if<ChildWork>(&node_of(node)->work);
    return work == nullptr ? CUDA_ERROR_INVALID_VALUE : answer(graph, handle_of(work->graph.get()));
  });
}
}
