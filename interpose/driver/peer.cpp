// Devices that reach each other's memory, and copies between them (interpose/devices.h).
#include "interpose/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

bool are_contexts(CUcontext one, CUcontext other) {
  return device_of(one).has_value() && device_of(other).has_value();
}

CUDA_MEMCPY3D box_of(const CUDA_MEMCPY3D_PEER& peers) {
  CUDA_MEMCPY3D box = {};
  box.srcXInBytes = peers.srcXInBytes, box.srcY = peers.srcY, box.srcZ = peers.srcZ;
  box.srcMemoryType = peers.srcMemoryType, box.srcHost = peers.srcHost;
  box.srcDevice = peers.srcDevice, box.srcArray = peers.srcArray;
  box.srcPitch = peers.srcPitch, box.srcHeight = peers.srcHeight;
  box.dstXInBytes = peers.dstXInBytes, box.dstY = peers.dstY, box.dstZ = peers.dstZ;
  box.dstMemoryType = peers.dstMemoryType, box.dstHost = peers.dstHost;
  box.dstDevice = peers.dstDevice, box.dstArray = peers.dstArray;
  box.dstPitch = peers.dstPitch, box.dstHeight = peers.dstHeight;
  box.WidthInBytes = peers.WidthInBytes, box.Height = peers.Height, box.Depth = peers.Depth;
  return box;
}

}  // namespace

extern "C" {

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  if (!is_device(device) || !is_device(peer)) return CUDA_ERROR_INVALID_DEVICE;
  return answer(can, Core::get().devices().can_access(device, peer));
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from,
                                 CUdevice to) {
  if (!Core::get().devices().can_access(from, to)) return CUDA_ERROR_INVALID_DEVICE;
  const std::optional<int> known = Devices::peer_attribute(attribute);
  return known ? answer(value, *known) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return call([&](Core& core) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const std::optional<int> device = device_of(peer);
    // CUDA says so of the current context itself, too.
    if (!device || *device == Devices::current()) return CUDA_ERROR_INVALID_CONTEXT;
    return as_result(core.devices().enable(Devices::current(), *device));
  });
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return call([&](Core& core) {
    const std::optional<int> device = device_of(peer);
    if (!device) return CUDA_ERROR_INVALID_CONTEXT;
    return as_result(core.devices().disable(Devices::current(), *device));
  });
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here,
                      size_t bytes) {
  return are_contexts(there, here) ? cuMemcpyDtoD_v2(to, from, bytes) : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here,
                           size_t bytes, CUstream stream) {
  return are_contexts(there, here) ? cuMemcpyDtoDAsync_v2(to, from, bytes, stream)
                                   : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* peers) {
  if (peers == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!are_contexts(peers->dstContext, peers->srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  const CUDA_MEMCPY3D box = box_of(*peers);
  return cuMemcpy3D_v2(&box);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* peers, CUstream stream) {
  if (peers == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!are_contexts(peers->dstContext, peers->srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  const CUDA_MEMCPY3D box = box_of(*peers);
  return cuMemcpy3DAsync_v2(&box, stream);
}
}
