// Memory that processes share (cudaIpcGetMemHandle and so on). The pages of a shared allocation
// become a file without a name, which another process of the same user opens through /proc and
// maps at device addresses of its own. Neighbors on the first and last page are in the file too,
// but the other process has no allocation there, so that neither kernels nor copies reach them.
//
// Events need no such thing: work is done when it is asked for, so that what another process has
// recorded has ended.
#pragma once

#include <map>

#include "interpose/memory.h"

namespace warpledger::cuda {

/// What the 64 bytes of a CUipcMemHandle hold.
struct IpcHandle {
  uint64_t magic = 0;
  int32_t process = 0, file = -1;
  uint64_t offset = 0, bytes = 0;  // of the allocation in the file
};
static_assert(sizeof(IpcHandle) <= 64);

class Ipc {
 public:
  explicit Ipc(Memory& memory) : memory_(memory) {}
  ~Ipc();
  Ipc(const Ipc&) = delete;
  Ipc& operator=(const Ipc&) = delete;

  /// The allocation that holds the address. Fails unless it is plain device memory.
  [[nodiscard]] Result<IpcHandle> share(uint64_t address);
  /// Where the allocation begins here; the same again while it is open. Fails for handles that are
  /// no longer good, and for those of this process, as on a GPU.
  [[nodiscard]] Result<uint64_t> open(const IpcHandle& handle);
  /// Fails unless open() gave the address.
  [[nodiscard]] Status close(uint64_t address);

 private:
  struct Opened {
    IpcHandle handle;
    int users = 0;
  };
  Memory& memory_;
  std::map<uint64_t, IpcHandle> shared_;  // by address of the allocation
  std::map<uint64_t, Opened> opened_;     // likewise, here
};

}  // namespace warpledger::cuda
