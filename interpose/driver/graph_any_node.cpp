// Nodes of any kind by one call, and conditional nodes, which have no call of their own.
#include "interpose/driver/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

CUresult make_kernel_v3(const CUDA_KERNEL_NODE_PARAMS_v3& from, Work* work) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = from.func;
  params.kern = from.kern;
  params.gridDimX = from.gridDimX, params.gridDimY = from.gridDimY;
  params.gridDimZ = from.gridDimZ, params.blockDimX = from.blockDimX;
  params.blockDimY = from.blockDimY, params.blockDimZ = from.blockDimZ;
  params.sharedMemBytes = from.sharedMemBytes;
  params.kernelParams = from.kernelParams;
  params.extra = from.extra;
  return make_kernel(&params, work);
}

CUresult make_fill_v2(const CUDA_MEMSET_NODE_PARAMS_v2& from, Work* work) {
  const CUDA_MEMSET_NODE_PARAMS params{from.dst,         from.pitch, from.value,
                                       from.elementSize, from.width, from.height};
  return make_fill(&params, work);
}

CUresult make_conditional(const CUDA_CONDITIONAL_NODE_PARAMS& params, Work* work) {
  auto made = empty_conditional(params.handle, params.type, params.size);
  if (!made) return CUDA_ERROR_INVALID_VALUE;
  return *work = *std::move(made), CUDA_SUCCESS;
}

CUresult make_any(Core& core, CUgraphNodeParams& params, Work* work) {
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return make_kernel_v3(params.kernel, work);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return make_copy(&params.memcpy.copyParams, work);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return make_fill_v2(params.memset, work);
    case CU_GRAPH_NODE_TYPE_HOST:
      return *work = HostWork{params.host.fn, params.host.userData}, CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return make_child(params.graph.graph, work);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return *work = EmptyWork{}, CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return *work = WaitWork{event_of(core, params.eventWait.event)}, CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return *work = RecordWork{event_of(core, params.eventRecord.event)}, CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return make_memory(core, params.alloc.bytesize, params.alloc.poolProps.location.id,
                         &params.alloc.dptr, work);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return *work = FreeWork{params.free.dptr}, CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return make_conditional(params.conditional, work);
    default:
      Core::say("nodes of external semaphores and of batched memory operations are not supported");
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

/// The bodies of a new conditional node, for the program to fill.
void give_bodies(Node& node, CUDA_CONDITIONAL_NODE_PARAMS& params) {
  node.bodies.clear();
  for (const auto& body : graphs_in(node.work)) node.bodies.push_back(body.get());
  params.phGraph_out = reinterpret_cast<CUgraph*>(node.bodies.data());
}

}  // namespace

extern "C" {

CUresult cuGraphAddNode_v2(CUgraphNode* made, CUgraph graph, const CUgraphNode* after,
                           const CUgraphEdgeData* edges, size_t count, CUgraphNodeParams* params) {
  const CUresult error = add(made, graph, after, count, [&](Core& core, Work* work) {
    if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return are_full(edges, count) ? make_any(core, *params, work) : CUDA_ERROR_NOT_SUPPORTED;
  });
  if (error == CUDA_SUCCESS && params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    give_bodies(*node_of(*made), params->conditional);
  return error;
}
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph, CUcontext,
                                        unsigned initial, unsigned flags) {
  return call([&](Core& core) {
    if (handle == nullptr || graph == nullptr || flags > CU_GRAPH_COND_ASSIGN_DEFAULT)
      return CUDA_ERROR_INVALID_VALUE;
    uint64_t made = 0;
    const Error error = core.create_condition(*graph_of(graph), initial, flags != 0, &made);
    *handle = made;
    return as_result(error);
  });
}
}
