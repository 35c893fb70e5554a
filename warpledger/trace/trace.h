// trace: what a warp did to memory, as a stream of 16-byte records. This room knows records, the
// buffers they are written to and the Sink that takes them out. It must not know who writes them
// (exec/) nor what becomes of them (memory/): both sides include this room and never each other.
//
// One warp of one CTA = one stream:
//
//   cta_start  access...  use  access...  barrier  access...  warp_end
//
// A record is {address, shape, site}, and comes in five forms, told apart by `shape`:
//
//   regular  shape = an id of the ShapeTable. Lane l of shape.mask touches
//            [a_l, a_l + width) with a_l = address + site.offset + shape.offset[l] (mod 2^64).
//            shape kNoLanes: the instruction was issued with its predicate false in every lane.
//   raw      shape = kRaw. address = the active mask (low 32 bits); 16 further record-sized slots
//            follow and hold 32 addresses of 8 bytes, lane 0 first (inactive lanes: any value).
//   bulk     shape = kBulk. One contiguous run of memory moved by the copy engine (cp.async.bulk, a
//            row of a TMA box), or cells of tensor memory; one further slot follows, whose address
//            field is the byte count.
//   texels   shape = kTexels. What one texture fetch touches: a lane has none (border), one, or as
//            many as filtering reads. address = a TexelCount; the texels' addresses follow, two in
//            a slot, those of lower lanes first.
//   mark     shape = kMark. address = mark word (see Mark), site = its argument.
//
// What does not change from one execution of an instruction to the next (space, kind, width,
// cache operator, PTX instruction) stands once, in the Site that the record names. That is what
// keeps a record at two stores of 8 bytes.
//
// Groups. Where one basic block accesses the same base register with the same lanes and different
// constant offsets, one record may stand for the whole group: it names the first of `site.group`
// consecutive sites, executed in table order, each with its own offset.
//
// Addresses by space:
//   global    the device address;
//   shared    byte offset in the CTA's window;
//   local     byte offset in the thread's own window; the consumer interleaves 4-byte words over
//             the lanes as the hardware does;
//   constant  byte offset in the constant bank. Kernel parameters are not recorded;
//   tensor    columns touched << 32 | lane << 16 | first column;
//   texture, surface  device addresses as exec/decode/texel_layout.h places texels.
// cp.async writes two records in a row for the same PTX instruction: its global side (kind
// async_copy, space global), then its shared side (same kind, space shared). A bulk copy writes one
// record for each run of global memory, then one for its shared side.
// Tensor cores: an operand in shared memory is regular records of up to 32 chunks of 16 bytes,
// eight at a time those of one core matrix (8 rows, or 8 k); an operand in tensor memory and what D
// holds before and after are bulk. wgmma: each warp records its rows of A, the first warp of the
// warpgroup B.
// ldmatrix/stmatrix: the mask holds the lanes that supply row addresses, width is 16.
//
// Use marks are static, so that two engines place them alike. Within a basic block one stands
//   (a) before a memory instruction that reads, directly or through registers computed in the
//       block, a value that a global or local load of the block returned and no mark has waited
//       for yet: as address, predicate or data; what textures and surfaces return is such a value;
//   (b) before a barrier or the block's end, when such a value is left.
// Together they bound a *batch*: the loads that a warp has in flight together, ptxas hoisting all
// independent loads of a block to its top. A wait on an mbarrier, or on cp.async groups, is a use
// mark too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpledger::trace {

struct Record {
  uint64_t address = 0;
  uint32_t shape = 0;
  uint32_t site = 0;
  friend bool operator==(const Record&, const Record&) = default;
};
static_assert(sizeof(Record) == 16);

inline constexpr uint32_t kNoLanes = 0;  // ShapeTable gives this id to the empty mask
inline constexpr uint32_t kMark = 0xFFFFFFFF;
inline constexpr uint32_t kRaw = 0xFFFFFFFE;
inline constexpr uint32_t kBulk = 0xFFFFFFFD;
inline constexpr uint32_t kTexels = 0xFFFFFFFC;
inline constexpr uint32_t kMaxShapes = 1u << 20;  // ids are below; further shapes go raw

inline constexpr size_t kLanes = 32;
inline constexpr size_t kRawSlots = 1 + kLanes * sizeof(uint64_t) / sizeof(Record);
inline constexpr size_t kBulkSlots = 2;

/// The address of a record of texels.
struct TexelCount {
  uint32_t mask = 0;          // lanes that fetch
  uint8_t width = 4;          // bytes of a texel
  uint16_t texels = 0;        // addresses that follow
  bool is_continued = false;  // a further request of the same execution: lanes with another handle
  [[nodiscard]] constexpr uint64_t word() const {
    return uint64_t{is_continued} << 63 | uint64_t{texels} << 40 | uint64_t{width} << 32 | mask;
  }
  static constexpr TexelCount of(uint64_t word) {
    return {static_cast<uint32_t>(word), static_cast<uint8_t>(word >> 32),
            static_cast<uint16_t>(word >> 40), (word >> 63) != 0};
  }
};

/// The number of consecutive slots that the record starting with `head` takes.
[[nodiscard]] constexpr size_t slots_of(const Record& head) {
  if (head.shape == kTexels) return 1 + (TexelCount::of(head.address).texels + size_t{1}) / 2;
  return head.shape == kRaw ? kRawSlots : head.shape == kBulk ? kBulkSlots : 1;
}

enum class Space : uint8_t {
  kGlobal,
  kShared,
  kLocal,
  kConstant,
  kTensor,
  kTexture,
  kSurface,
  kNone,  // no access of its own in the machine code: ptxas merged it into a neighbor's or dropped
          // it. Engines never say so: profile/run/machine.h does
};

enum class Kind : uint8_t {
  kLoad,
  kStore,
  kAtomic,       // returns the old value
  kCompareSwap,  // atom.cas: ncu lists it apart from the arithmetic atomics
  kReduction,    // red, and atom whose result nobody reads
  kAsyncCopy,    // cp.async, both sides
  kLoadMatrix,   // ldmatrix
  kStoreMatrix,  // stmatrix
  kBulkCopy,     // cp.async.bulk, TMA: into shared memory
  kPrefetch,
  kBulkStore,      // out of shared memory
  kBulkReduction,  // and added to what is there
  kMatrixOperand,  // read by the tensor core itself: wgmma, tcgen05.mma
  kMatrixAddend,   // what D in tensor memory holds before
  kMatrixResult,   // and after
  kTensorCopy,     // tcgen05.cp, both sides
};
inline constexpr size_t kKinds = static_cast<size_t>(Kind::kTensorCopy) + 1;

/// Whether the copy engine moves the bytes, in bulk records.
[[nodiscard]] constexpr bool is_bulk(Kind kind) {
  return kind == Kind::kBulkCopy || kind == Kind::kBulkStore || kind == Kind::kBulkReduction;
}

/// PTX cache operators as far as they change what a cache does.
enum class CacheOperator : uint8_t {
  kDefault,   // .ca, and what .wb means for stores
  kGlobal,    // .cg: L2 only
  kStream,    // .cs, evict-first
  kLastUse,   // .lu
  kVolatile,  // .cv, .volatile, .relaxed.sys and stronger: fetched anew
  kNoAllocate,
};

[[nodiscard]] std::string_view to_text(Space space);
[[nodiscard]] std::string_view to_text(Kind kind);
[[nodiscard]] std::string_view to_text(CacheOperator cache);

/// One memory instruction of the kernel: all that is the same at each of its executions.
struct Site {
  uint32_t instruction = 0;  // the PTX instruction's index in its kernel
  Space space = Space::kGlobal;
  Kind kind = Kind::kLoad;
  CacheOperator cache = CacheOperator::kDefault;
  uint8_t width = 4;      // bytes per lane: 1, 2, 4, 8, 16 (a .v4.f32 is 16), 32; textures: 1, the
                          // width of a texel stands in the record
  int64_t offset = 0;     // added to the record's address; used by groups
  uint32_t group = 1;     // sites [this, this + group) share the record; 1 outside groups
  bool floating = false;  // atomics and reductions: on floating-point values
  bool strong = false;    // atomic, .relaxed or stronger; .volatile in a program that fences: such
                          // accesses of two threads do not race with each other
  bool assumed_layout = false;  // texels of arrays, whose places in memory NVIDIA does not publish
  bool serves_window = false;   // ptxas unrolled the loop around it, and one access, as wide as its
                                // alignment, serves several trips: the execution at a multiple of
                                // `width` stands for it. Engines never say so either
};
using Sites = std::vector<Site>;

/// Whether the site's records are bulk ones.
[[nodiscard]] constexpr bool has_bulk_records(const Site& site) {
  return is_bulk(site.kind) || site.space == Space::kTensor;
}

/// Whether the texture unit serves it.
[[nodiscard]] constexpr bool passes_texture_unit(const Site& site) {
  return site.space == Space::kTexture || site.space == Space::kSurface;
}

/// Global or local memory, texels: behind the L1 are the L2 and DRAM.
[[nodiscard]] constexpr bool is_far(const Site& site) {
  return site.space == Space::kGlobal || site.space == Space::kLocal || passes_texture_unit(site);
}

/// Whether the load/store unit serves it, lane by lane: the others are those of the copy engine, of
/// tensor cores and their memory, of the texture unit, and prefetches, which answer nothing.
[[nodiscard]] constexpr bool passes_load_store_unit(const Site& site) {
  switch (site.kind) {
    case Kind::kLoad:
    case Kind::kStore:
    case Kind::kAtomic:
    case Kind::kCompareSwap:
    case Kind::kReduction:
    case Kind::kAsyncCopy:
    case Kind::kLoadMatrix:
    case Kind::kStoreMatrix:
      return site.space != Space::kTensor && !passes_texture_unit(site);
    default:
      return false;
  }
}

/// What an access does to the bytes of its space. A copy has two sides: it reads one space and
/// writes the other.
enum class Effect : uint8_t { kRead, kWrite, kUpdate };  // kUpdate: atomics and reductions

[[nodiscard]] constexpr Effect effect_of(Space space, Kind kind) {
  const bool shared = space == Space::kShared;
  switch (kind) {
    case Kind::kLoad:
    case Kind::kLoadMatrix:
    case Kind::kPrefetch:
    case Kind::kMatrixOperand:
    case Kind::kMatrixAddend:
      return Effect::kRead;
    case Kind::kStore:
    case Kind::kStoreMatrix:
    case Kind::kMatrixResult:
      return Effect::kWrite;
    case Kind::kAtomic:
    case Kind::kCompareSwap:
    case Kind::kReduction:
      return Effect::kUpdate;
    case Kind::kAsyncCopy:
    case Kind::kBulkCopy:
      return shared ? Effect::kWrite : Effect::kRead;
    case Kind::kBulkStore:
      return shared ? Effect::kRead : Effect::kWrite;
    case Kind::kBulkReduction:
      return shared ? Effect::kRead : Effect::kUpdate;
    case Kind::kTensorCopy:
      return shared ? Effect::kRead : Effect::kWrite;
  }
  return Effect::kRead;
}
[[nodiscard]] constexpr Effect effect_of(const Site& site) {
  return effect_of(site.space, site.kind);
}

/// The address of a record of tensor memory.
struct TensorPlace {
  uint32_t columns = 0, lane = 0, column = 0;
  [[nodiscard]] constexpr uint64_t address() const {
    return uint64_t{columns} << 32 | lane << 16 | column;
  }
  static constexpr TensorPlace of(uint64_t address) {
    return {static_cast<uint32_t>(address >> 32), static_cast<uint32_t>(address >> 16 & 0xFFFF),
            static_cast<uint32_t>(address & 0xFFFF)};
  }
};

/// A mark's word: kind in the low 8 bits, `count` above.
enum class Mark : uint8_t {
  kCtaStart,  // count = linear CTA id, x fastest
  kUse,       // site = the PTX instruction that waits
  kBarrier,   // count = warps that the barrier joins (0: the whole CTA), site = barrier id,
              // with kPartOfWarp where lanes of the warp are elsewhere
  kArrive,    // bar.arrive: joins a barrier without waiting; same arguments
  kWarpEnd,   // the last record of the stream
};

inline constexpr uint32_t kPartOfWarp = 0x100;  // added to a barrier's id

[[nodiscard]] constexpr Record mark(Mark kind, uint64_t count = 0, uint32_t argument = 0) {
  return {count << 8 | static_cast<uint64_t>(kind), kMark, argument};
}
[[nodiscard]] constexpr Mark mark_kind(const Record& record) {
  return static_cast<Mark>(record.address & 0xFF);
}
[[nodiscard]] constexpr uint64_t mark_count(const Record& record) { return record.address >> 8; }
[[nodiscard]] std::string_view to_text(Mark mark);

}  // namespace warpledger::trace
