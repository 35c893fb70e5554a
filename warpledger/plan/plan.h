// plan/: where a kernel's buffers stand in shared memory and in tensor memory (TMEM), how many
// stages fit, and how many blocks run on an SM. This room knows buffers, lifetimes, barriers as a
// happens-before order, and the limits of a GPU; from these it finds overlays that people write as
// unions by hand. It must not know what the kernel computes, nor print.
//
//   text --parse--> Plan --place--> Placement --> tables, picture, struct text
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/base/source.h"
#include "warpledger/plan/order.h"

namespace warpledger::plan {

enum class Space { kShared, kTensor };

/// An element type: its name in a plan, its width, and the type that CUDA code stores it as.
struct Dtype {
  std::string name;
  int bits = 0;
  std::string cuda_type;  // several elements to one when bits < 8
  std::string header;     // what declares cuda_type; empty for built-in types
};

[[nodiscard]] std::optional<Dtype> find_dtype(std::string_view name);
[[nodiscard]] std::vector<std::string> dtype_names();

/// How a tensor lies in TMEM (PTX ISA 9.1, 9.7.16: data path layouts A to G).
struct TensorForm {
  char layout = 'D';
  std::vector<int64_t> written = {};  // shape that the MMA writes, when larger than the tensor
  bool is_accumulator = false;        // one element to a 32-bit cell whatever its width
  bool is_duplicated = false;         // cta_group::2, M = 128, A in TMEM: both lane halves hold it
  std::optional<int> half = {};  // layouts C and F: which 16 of every 32 lanes; found if absent
};

/// One place to be found. A ring of equal lifetimes is one slot `count` times as large.
struct Slot {
  int first = 0;  // number of the ring's first element in this slot
  int count = 1;
  std::vector<Lifetime> lives = {};
  std::optional<int64_t> at = {};  // the offset that the author wrote
};

/// `size` and `stride` count bytes in shared memory, columns in TMEM.
struct Buffer {
  std::string name;
  Space space = Space::kShared;
  Dtype dtype;
  std::vector<int64_t> shape;
  int64_t size = 0;    // of one element of the ring
  int64_t stride = 0;  // from one element of the ring to the next in the same slot
  int64_t alignment = 1;
  int swizzle_bytes = 0;
  int ring = 1;
  bool is_loaded = false;       // filled from global memory, by whoever runs ahead
  int64_t bytes_in_flight = 0;  // of its loads while one element of the ring is in use
  TensorForm form = {};
  std::vector<Slot> slots = {};
  std::string note = {};
  Location where = {};  // of its name in the text

  [[nodiscard]] int64_t size_of(const Slot& slot) const { return stride * (slot.count - 1) + size; }
  [[nodiscard]] bool takes_all_lanes() const { return form.layout != 'C' && form.layout != 'F'; }
};

struct Phase {
  std::string name;
  EventId begin, end;
};

struct Plan {
  std::string name = "plan";
  std::string gpu = {};
  int threads = 0;      // per block; 0: not said
  int registers = 0;    // per thread; 0: not said
  int ctas_per_sm = 1;  // wanted
  int cta_group = 1;
  Order order;
  std::vector<Phase> phases = {};
  std::vector<Buffer> buffers = {};
  std::vector<int64_t> tensor_allocations = {};  // columns of each tcgen05.alloc, in order
  std::map<std::string, int64_t> sizes = {};     // what `let` named
};

/// Bytes of the elements alone, one ring element.
[[nodiscard]] int64_t tensor_bytes(const Buffer& buffer);

}  // namespace warpledger::plan
