// Devices that reach each other's memory, and copies between them (interpose/devices.h).
#include "interpose/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

bool are_devices(int one, int other) {
  const Devices& devices = Core::get().devices();
  return devices.has(one) && devices.has(other);
}

/// Arrays say themselves where they are, and so do pointers.
cudaMemcpy3DParms box_of(const cudaMemcpy3DPeerParms& peers) {
  cudaMemcpy3DParms box{};
  box.srcArray = peers.srcArray;
  box.srcPos = peers.srcPos;
  box.srcPtr = peers.srcPtr;
  box.dstArray = peers.dstArray;
  box.dstPos = peers.dstPos;
  box.dstPtr = peers.dstPtr;
  box.extent = peers.extent;
  box.kind = cudaMemcpyDeviceToDevice;
  return box;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!are_devices(device, peer)) return note(cudaErrorInvalidDevice);
  return note(answer(can, Core::get().devices().can_access(device, peer)));
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call([&](Core& core) {
    if (flags != 0) return cudaErrorInvalidValue;
    return as_cuda(core.devices().enable(Devices::current(), peer));
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call(
      [&](Core& core) { return as_cuda(core.devices().disable(Devices::current(), peer)); });
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  if (!Core::get().devices().can_access(from, to)) return note(cudaErrorInvalidDevice);
  const std::optional<int> known = Devices::peer_attribute(attribute);
  return note(known ? answer(value, *known) : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
  if (!are_devices(to_device, from_device)) return note(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  if (!are_devices(to_device, from_device)) return note(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* peers) {
  if (peers == nullptr) return note(cudaErrorInvalidValue);
  if (!are_devices(peers->dstDevice, peers->srcDevice)) return note(cudaErrorInvalidDevice);
  const cudaMemcpy3DParms box = box_of(*peers);
  return cudaMemcpy3D(&box);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* peers, cudaStream_t stream) {
  if (peers == nullptr) return note(cudaErrorInvalidValue);
  if (!are_devices(peers->dstDevice, peers->srcDevice)) return note(cudaErrorInvalidDevice);
  const cudaMemcpy3DParms box = box_of(*peers);
  return cudaMemcpy3DAsync(&box, stream);
}
}
