// User objects of graphs.
#include "interpose/driver/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

UserObject* object_of(CUuserObject handle) { return reinterpret_cast<UserObject*>(handle); }
CUresult status_of(bool done) { return done ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

}  // namespace

extern "C" {

CUresult cuUserObjectCreate(CUuserObject* made, void* object, CUhostFn destroy, unsigned count,
                            unsigned flags) {
  return call([&](Core& core) {
    // The only flag is required: it promises that no one waits for the destructor.
    if (made == nullptr || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return CUDA_ERROR_INVALID_VALUE;
    UserObject* handle = core.user_objects().create(object, destroy, count);
    *made = reinterpret_cast<CUuserObject>(handle);
    return status_of(handle != nullptr);
  });
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return call(
      [&](Core& core) { return status_of(core.user_objects().retain(object_of(object), count)); });
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return call(
      [&](Core& core) { return status_of(core.user_objects().release(object_of(object), count)); });
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                 unsigned flags) {
  return call([&](Core& core) {
    if (graph == nullptr || (flags & ~unsigned{CU_GRAPH_USER_OBJECT_MOVE}) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    return status_of(
        core.user_objects().give(*graph_of(graph), object_of(object), count, flags != 0));
  });
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return call([&](Core&) {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return status_of(UserObjects::take_back(*graph_of(graph), object_of(object), count));
  });
}
}
