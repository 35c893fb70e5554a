// Graphs as wholes and executable graphs, for the driver's interface.
#include "interpose/driver/graph.h"

#include <cstdio>

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

constexpr unsigned long long kKnownFlags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                           CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                           CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

GraphExec* exec_of(Core& core, CUgraphExec handle) {
  return core.graphs().exec(reinterpret_cast<const GraphExec*>(handle));
}

CUresult give(const std::vector<Node*>& nodes, CUgraphNode* room, CUgraphEdgeData* edges,
              size_t* count) {
  const Error error = give_nodes(nodes, room_at(room), count);
  for (size_t i = 0; error == Error::kNone && room != nullptr && edges != nullptr && i < *count;
       ++i)
    edges[i] = {};
  return as_result(error);
}

}  // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return call([&](Core& core) {
    if (graph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    return answer(graph, handle_of(core.graphs().keep(std::make_unique<Graph>())));
  });
}
CUresult cuGraphClone(CUgraph* made, CUgraph graph) {
  return call([&](Core& core) {
    if (made == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return answer(made, handle_of(core.graphs().keep(graph_of(graph)->clone())));
  });
}
CUresult cuGraphDestroy(CUgraph graph) {
  return call([&](Core& core) {
    const bool done =
        !core.captures().uses(graph_of(graph)) && core.graphs().destroy(graph_of(graph));
    return done ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuGraphDestroyNode(CUgraphNode node) {
  return call([&](Core& core) {
    if (node == nullptr || core.captures().uses(node_of(node)->graph))
      return CUDA_ERROR_INVALID_VALUE;
    node_of(node)->graph->remove(*node_of(node));
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return call([&](Core&) {
    return node == nullptr ? CUDA_ERROR_INVALID_VALUE : answer(type, kind_of(node_of(node)->work));
  });
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return call([&](Core&) {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return give(all_nodes(*graph_of(graph)), nodes, nullptr, count);
  });
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return call([&](Core&) {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return give(root_nodes(*graph_of(graph)), nodes, nullptr, count);
  });
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* edges, size_t* count) {
  return call([&](Core&) {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Error error = give_edges(*graph_of(graph), room_at(from), room_at(to), count);
    for (size_t i = 0; error == Error::kNone && from && edges && i < *count; ++i) edges[i] = {};
    return as_result(error);
  });
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* edges,
                                       size_t* count) {
  return call([&](Core&) {
    if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return give(node_of(node)->after, nodes, edges, count);
  });
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes,
                                         CUgraphEdgeData* edges, size_t* count) {
  return call([&](Core&) {
    if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return give(node_of(node)->before, nodes, edges, count);
  });
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edges, size_t count) {
  return call([&](Core&) {
    if (!are_full(edges, count)) return CUDA_ERROR_NOT_SUPPORTED;
    return as_result(add_edges(graph_of(graph), nodes_at(from), nodes_at(to), count));
  });
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData*, size_t count) {
  return call([&](Core&) {
    return as_result(remove_edges(graph_of(graph), nodes_at(from), nodes_at(to), count));
  });
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned) {
  return call([&](Core&) {
    FILE* file = graph == nullptr || path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const std::string text = to_dot(*graph_of(graph));
    const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && good ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* made, CUgraph graph, unsigned long long flags) {
  return call([&](Core& core) {
    if (made == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & ~kKnownFlags) != 0) {
      Core::say("graphs that are launched from the device are not supported");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    GraphExec* exec = nullptr;
    const Error error = core.graphs().instantiate(*graph_of(graph), flags, &exec);
    *made = reinterpret_cast<CUgraphExec>(exec);
    return as_result(error);
  });
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* made, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = cuGraphInstantiateWithFlags(made, graph, params->flags);
  params->hErrNode_out = nullptr;
  params->result_out = error == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                       : error == CUDA_ERROR_INVALID_VALUE
                           ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                           : CUDA_GRAPH_INSTANTIATE_ERROR;
  return error;
}
CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  return call([&](Core& core) {
    const GraphExec* exec = exec_of(core, handle);
    return exec == nullptr ? CUDA_ERROR_INVALID_VALUE : answer(flags, exec->flags);
  });
}
CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    GraphExec* exec = exec_of(core, handle);
    return exec == nullptr ? CUDA_ERROR_INVALID_VALUE : as_result(core.launch(*exec, one));
  });
}
CUresult cuGraphUpload(CUgraphExec handle, CUstream stream) {
  return with_stream(stream, [&](Core& core, Stream&) {
    return exec_of(core, handle) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}
CUresult cuGraphExecDestroy(CUgraphExec handle) {
  return call([&](Core& core) {
    return core.graphs().destroy(reinterpret_cast<const GraphExec*>(handle))
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph,
                              CUgraphExecUpdateResultInfo* info) {
  return call([&](Core& core) {
    GraphExec* exec = exec_of(core, handle);
    if (exec == nullptr || graph == nullptr || info == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Update done = update(*exec->graph, *graph_of(graph));
    const auto as_handle = [](const Node* node) {
      return reinterpret_cast<CUgraphNode>(const_cast<Node*>(node));
    };
    *info = {static_cast<CUgraphExecUpdateResult>(done.result), as_handle(done.node),
             as_handle(done.from)};
    return done.result == UpdateResult::kSuccess ? CUDA_SUCCESS
                                                 : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  });
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {  // nothing is held back
  return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  return call([&](Core& core) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    const auto known = core.memory().graph_memory(device).get(attribute);
    return known ? answer(static_cast<cuuint64_t*>(value), *known) : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  return call([&](Core& core) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    const bool done = value != nullptr && core.memory().graph_memory(device).reset(
                                              attribute, *static_cast<const cuuint64_t*>(value));
    return done ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
}
