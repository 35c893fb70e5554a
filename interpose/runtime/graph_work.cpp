// Work of nodes, from CUDA's structures and back. Copies: copy.cpp.
#include <algorithm>
#include <cstring>

#include "interpose/runtime/graph.h"

namespace warpledger::cuda::runtime {
namespace {

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
template <class T>
T* pointer(uint64_t address) {
  return reinterpret_cast<T*>(address);
}

/// The program's own function where it has one: launches name kernels by their second handle.
const void* host_function(const KernelWork& work) {
  for (const auto& [function, known] : registry().kernels) {
    if (known.kernel == work.request.kernel && function != known.kernel) return function;
  }
  return work.function;
}

cudaError_t make_conditional(const cudaConditionalNodeParams& params, Work* work) {
  auto made = empty_conditional(params.handle, params.type, params.size);
  if (!made) return cudaErrorInvalidValue;
  return *work = *std::move(made), cudaSuccess;
}

}  // namespace

bool are_full(const cudaGraphEdgeData* edges, size_t count) {
  for (size_t i = 0; edges != nullptr && i < count; ++i) {
    if (edges[i].from_port == 0 && edges[i].to_port == 0 && edges[i].type == 0) continue;
    Core::say("edges of a graph that wait for a part of a kernel (programmatic) are not supported");
    return false;
  }
  return true;
}

cudaError_t make_kernel(Core& core, const cudaKernelNodeParams* params, Work* work) {
  if (params == nullptr) return cudaErrorInvalidValue;
  if (params->extra != nullptr) {
    Core::say("kernel nodes with packed parameters (extra) are not supported");
    return cudaErrorNotSupported;
  }
  KernelWork made{.function = params->func};
  LaunchRequest& request = made.request;
  if (const cudaError_t error = find(core, params->func, &request.kernel)) return error;
  request.grid = {params->gridDim.x, params->gridDim.y, params->gridDim.z};
  request.block = {params->blockDim.x, params->blockDim.y, params->blockDim.z};
  request.dynamic_shared_bytes = params->sharedMemBytes;
  const auto packed = Core::pack(*request.kernel, params->kernelParams);
  if (!packed) return cudaErrorInvalidValue;
  request.params = *packed;
  *work = std::move(made);
  return cudaSuccess;
}

cudaError_t make_fill(Core&, const cudaMemsetParams* params, Work* work) {
  if (params == nullptr) return cudaErrorInvalidValue;
  *work = FillWork{.to = number(params->dst),
                   .value = params->value,
                   .element_bytes = params->elementSize,
                   .width = params->width,
                   .height = params->height,
                   .pitch = params->pitch};
  return cudaSuccess;
}

cudaError_t make_host(const cudaHostNodeParams* params, Work* work) {
  if (params == nullptr) return cudaErrorInvalidValue;
  *work = HostWork{params->fn, params->userData};
  return cudaSuccess;
}

cudaError_t make_child(cudaGraph_t graph, Work* work) {
  if (graph == nullptr) return cudaErrorInvalidValue;
  *work = ChildWork{graph_of(graph)->clone()};
  return cudaSuccess;
}

cudaError_t make_event(Core& core, cudaEvent_t event, bool is_record, Work* work) {
  const std::shared_ptr<Event> one = event_of(core, event);
  if (one == nullptr) return cudaErrorInvalidResourceHandle;
  *work = is_record ? Work(RecordWork{one}) : Work(WaitWork{one});
  return cudaSuccess;
}

cudaError_t make_work(Core& core, const cudaGraphNodeParams* params, Work* work) {
  if (params == nullptr) return cudaErrorInvalidValue;
  switch (params->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& from = params->kernel;
      const cudaKernelNodeParams kernel{from.func,           from.gridDim,      from.blockDim,
                                        from.sharedMemBytes, from.kernelParams, from.extra};
      return make_kernel(core, &kernel, work);
    }
    case cudaGraphNodeTypeMemcpy:
      return make_copy_3d(core, &params->memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& from = params->memset;
      const cudaMemsetParams fill{from.dst,         from.pitch, from.value,
                                  from.elementSize, from.width, from.height};
      return make_fill(core, &fill, work);
    }
    case cudaGraphNodeTypeHost:
      *work = HostWork{params->host.fn, params->host.userData};
      return cudaSuccess;
    case cudaGraphNodeTypeGraph:
      return make_child(params->graph.graph, work);
    case cudaGraphNodeTypeEmpty:
      *work = EmptyWork{};
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      return make_event(core, params->eventWait.event, false, work);
    case cudaGraphNodeTypeEventRecord:
      return make_event(core, params->eventRecord.event, true, work);
    case cudaGraphNodeTypeMemFree:
      *work = FreeWork{number(params->free.dptr)};
      return cudaSuccess;
    case cudaGraphNodeTypeConditional:
      return make_conditional(params->conditional, work);
    default:
      Core::say("nodes of external semaphores are not supported");
      return cudaErrorNotSupported;
  }
}

void describe(Node& node, cudaKernelNodeParams* params) {
  auto& kernel = std::get<KernelWork>(node.work);
  LaunchRequest& request = kernel.request;
  node.pointers.clear();
  for (const uint64_t offset : parameter_offsets(*request.kernel))
    node.pointers.push_back(request.params.data() + offset);
  const auto size = [](const exec::Extent& extent) {
    return dim3(extent[0], extent[1], extent[2]);
  };
  *params = {.func = const_cast<void*>(host_function(kernel)),
             .gridDim = size(request.grid),
             .blockDim = size(request.block),
             .sharedMemBytes = request.dynamic_shared_bytes,
             .kernelParams = node.pointers.data(),
             .extra = nullptr};
}

void describe(const Node& node, cudaMemcpy3DParms* params) {
  const auto& copy = std::get<CopyWork>(node.work);
  const auto side = [&](uint64_t address, uint64_t pitch, uint64_t slice) {
    const uint64_t row = pitch == 0 ? copy.width : pitch;
    return cudaPitchedPtr{pointer<void>(address), row, copy.width,
                          slice == 0 ? copy.height : slice / std::max<uint64_t>(row, 1)};
  };
  std::memset(params, 0, sizeof *params);
  params->srcPtr = side(copy.from, copy.from_pitch, copy.from_slice);
  params->dstPtr = side(copy.to, copy.to_pitch, copy.to_slice);
  params->extent = {copy.width, copy.height, copy.depth};
  params->kind = static_cast<cudaMemcpyKind>(copy.kind);
}

void describe(const Node& node, cudaMemsetParams* params) {
  const auto& fill = std::get<FillWork>(node.work);
  *params = {pointer<void>(fill.to), fill.pitch, fill.value,
             fill.element_bytes,     fill.width, fill.height};
}

}  // namespace warpledger::cuda::runtime
