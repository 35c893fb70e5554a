// Executable graphs: instantiated, launched, made like another graph.
#include "interpose/runtime/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

constexpr unsigned long long kKnownFlags = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                           cudaGraphInstantiateFlagUpload |
                                           cudaGraphInstantiateFlagUseNodePriority;

GraphExec* exec_of(Core& core, cudaGraphExec_t handle) {
  return core.graphs().exec(reinterpret_cast<const GraphExec*>(handle));
}

}  // namespace

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph,
                                 unsigned long long flags) {
  return call([&](Core& core) {
    if (made == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    if ((flags & ~kKnownFlags) != 0) {
      Core::say("graphs that are launched from the device are not supported");
      return cudaErrorNotSupported;
    }
    GraphExec* exec = nullptr;
    const Error error = core.graphs().instantiate(*graph_of(graph), flags, &exec);
    *made = reinterpret_cast<cudaGraphExec_t>(exec);
    return as_cuda(error);
  });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(made, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* made, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  if (params == nullptr) return note(cudaErrorInvalidValue);
  const cudaError_t error = cudaGraphInstantiate(made, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error == cudaSuccess             ? cudaGraphInstantiateSuccess
                       : error == cudaErrorInvalidValue ? cudaGraphInstantiateInvalidStructure
                                                        : cudaGraphInstantiateError;
  return error;
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
  return call([&](Core& core) {
    const GraphExec* exec = exec_of(core, handle);
    return exec == nullptr ? cudaErrorInvalidValue : answer(flags, exec->flags);
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    GraphExec* exec = exec_of(core, handle);
    return exec == nullptr ? cudaErrorInvalidValue : as_cuda(core.launch(*exec, one));
  });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
  return with_stream(stream, [&](Core& core, Stream&) {
    return exec_of(core, handle) == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return call([&](Core& core) {
    return core.graphs().destroy(reinterpret_cast<const GraphExec*>(handle))
               ? cudaSuccess
               : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return call([&](Core& core) {
    GraphExec* exec = exec_of(core, handle);
    if (exec == nullptr || graph == nullptr || info == nullptr) return cudaErrorInvalidValue;
    const Update done = update(*exec->graph, *graph_of(graph));
    const auto as_handle = [](const Node* node) {
      return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(node));
    };
    *info = {static_cast<cudaGraphExecUpdateResult>(done.result), as_handle(done.node),
             as_handle(done.from)};
    return done.result == UpdateResult::kSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
  });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t handle, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return call([&](Core& core) {
    GraphExec* exec = exec_of(core, handle);
    Node* own = exec == nullptr || node == nullptr ? nullptr : exec->graph->copy_of(*node_of(node));
    if (own == nullptr || child == nullptr || !std::holds_alternative<ChildWork>(own->work))
      return cudaErrorInvalidValue;
    const Update done = update(*std::get<ChildWork>(own->work).graph, *graph_of(child));
    return done.result == UpdateResult::kSuccess ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t node,
                                    unsigned enabled) {
  return call([&](Core& core) {
    GraphExec* exec = exec_of(core, handle);
    Node* own = exec == nullptr || node == nullptr ? nullptr : exec->graph->copy_of(*node_of(node));
    if (own == nullptr || own->work.index() > 2) return cudaErrorInvalidValue;
    own->is_enabled = enabled != 0;  // kernels, copies and fills may be turned off
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t node,
                                    unsigned* enabled) {
  return call([&](Core& core) {
    const GraphExec* exec = exec_of(core, handle);
    const Node* own =
        exec == nullptr || node == nullptr ? nullptr : exec->graph->copy_of(*node_of(node));
    return own == nullptr ? cudaErrorInvalidValue : answer(enabled, own->is_enabled ? 1 : 0);
  });
}
cudaError_t cudaDeviceGraphMemTrim(int device) {  // nothing is held back
  return note(Core::get().devices().has(device) ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return call([&](Core& core) {
    if (!core.devices().has(device)) return cudaErrorInvalidDevice;
    const auto known = core.memory().graph_memory(device).get(attribute);
    return known ? answer(static_cast<uint64_t*>(value), *known) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return call([&](Core& core) {
    if (!core.devices().has(device)) return cudaErrorInvalidDevice;
    const bool done = value != nullptr && core.memory().graph_memory(device).reset(
                                              attribute, *static_cast<const uint64_t*>(value));
    return done ? cudaSuccess : cudaErrorInvalidValue;
  });
}
}
