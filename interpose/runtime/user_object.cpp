// User objects of graphs.
#include "interpose/runtime/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

UserObject* object_of(cudaUserObject_t handle) { return reinterpret_cast<UserObject*>(handle); }
cudaError_t status_of(bool done) { return done ? cudaSuccess : cudaErrorInvalidValue; }

}  // namespace

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t* made, void* object, cudaHostFn_t destroy,
                                 unsigned count, unsigned flags) {
  return call([&](Core& core) {
    // The only flag is required: it promises that no one waits for the destructor.
    if (made == nullptr || flags != cudaUserObjectNoDestructorSync) return cudaErrorInvalidValue;
    UserObject* handle = core.user_objects().create(object, destroy, count);
    *made = reinterpret_cast<cudaUserObject_t>(handle);
    return status_of(handle != nullptr);
  });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return call(
      [&](Core& core) { return status_of(core.user_objects().retain(object_of(object), count)); });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return call(
      [&](Core& core) { return status_of(core.user_objects().release(object_of(object), count)); });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return call([&](Core& core) {
    if (graph == nullptr || (flags & ~unsigned{cudaGraphUserObjectMove}) != 0)
      return cudaErrorInvalidValue;
    return status_of(
        core.user_objects().give(*graph_of(graph), object_of(object), count, flags != 0));
  });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return call([&](Core&) {
    if (graph == nullptr) return cudaErrorInvalidValue;
    return status_of(UserObjects::take_back(*graph_of(graph), object_of(object), count));
  });
}
}
