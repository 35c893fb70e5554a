// What a stream may be asked for, or a node of a graph do: values without handles of CUDA, so that
// the same work runs at once, is captured, copied into an executable graph, and run again.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "warpledger/exec/decode/launch.h"

namespace warpledger::cuda {

struct Event;
class Graph;
struct Kernel;
struct Stream;

struct LaunchRequest {
  Kernel* kernel = nullptr;
  exec::Extent grid = {1, 1, 1}, block = {1, 1, 1};
  exec::Extent cluster = {0, 0, 0};  // zeros: as the kernel requires
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> params = {};
  Stream* stream = nullptr;
  bool is_cooperative = false;
};

struct KernelWork {
  LaunchRequest request = {};      // without a stream
  const void* function = nullptr;  // the handle it was given as
};
/// A box of bytes: `depth` slices of `height` rows of `width` bytes.
struct CopyWork {
  uint64_t to = 0, from = 0;
  uint64_t width = 0, height = 1, depth = 1;
  uint64_t to_pitch = 0, from_pitch = 0;  // from row to row
  uint64_t to_slice = 0, from_slice = 0;  // from slice to slice
  int kind = 4;                           // as the program said; cudaMemcpyDefault
};
/// `height` rows of `width` elements of 1, 2 or 4 bytes.
struct FillWork {
  uint64_t to = 0;
  uint32_t value = 0, element_bytes = 1;
  uint64_t width = 0, height = 1, pitch = 0;
};
struct HostWork {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
  double seconds = 0;  // on the device: it stands for a kernel that cannot run here (estimate.h)
  std::shared_ptr<void> owner = {};  // keeps `data` alive as long as a graph may run it
  std::string name = {};             // of what it stands for
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct EmptyWork {};
struct WaitWork {
  std::shared_ptr<Event> event;
};
struct RecordWork {
  std::shared_ptr<Event> event;
};
/// Memory of a graph: the address is reserved when the node is made.
struct AllocateWork {
  uint64_t address = 0, bytes = 0;
};
struct FreeWork {
  uint64_t address = 0;
};
enum class Choice { kIf, kWhile, kSwitch };  // the numbers of cudaGraphConditionalNodeType
struct ConditionalWork {
  uint64_t condition = 0;  // the address of its value; what kernels get as the handle
  Choice choice = Choice::kIf;
  std::vector<std::shared_ptr<Graph>> bodies;
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, WaitWork,
                          RecordWork, AllocateWork, FreeWork, ConditionalWork>;

/// The numbers that cudaGraphNodeType and CUgraphNodeType share.
enum class NodeKind : int {
  kKernel = 0,
  kCopy = 1,
  kFill = 2,
  kHost = 3,
  kChild = 4,
  kEmpty = 5,
  kWait = 6,
  kRecord = 7,
  kAllocate = 10,
  kFree = 11,
  kConditional = 13,
};
[[nodiscard]] NodeKind kind_of(const Work& work);

}  // namespace warpledger::cuda
