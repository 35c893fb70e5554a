// cuda/: the doors. A CUDA program that was built for a GPU finds our libcudart.so.13 (runtime/) or
// libcuda.so.1 (driver/) in place of NVIDIA's and runs its kernels here.
//
//   fatbin.h   what nvcc embeds: PTX and machine code, packed        link.h  several PTX texts as
//   one module.h   code of a program, its kernels and variables in device memory memory.h
//   allocations and who may touch them                    timeline.h  streams and events core.h the
//   device that both doors open to: launches          settings.h  what the user asked
//
// The room knows NVIDIA's public interfaces and how a launch is asked for. It must not know how a
// kernel is executed nor what is counted: exec/ and profile/ do. It answers no private table and
// patches nobody's code.
//
// The fatbin format (little endian, checked against nvcc 13.0's output):
//   header 16 B: u32 0xBA55ED50, u16 version, u16 bytes of the header, u64 bytes after it
//   entry: u16 kind, u16, u32 bytes to the payload, u64 payload bytes, u32 packed bytes (0: raw),
//          u32, u16 minor, u16 major, u32 architecture, u32 name, u32 name bytes, u64 flags,
//          u64, u64 unpacked bytes; entries follow each other
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::cuda {

inline constexpr uint32_t kFatbinMagic = 0xBA55ED50, kWrapperMagic = 0x466243B1;
inline constexpr uint64_t kFatbinHeaderBytes = 16;

enum class CodeKind : uint16_t { kPtx = 1, kMachine = 2, kLinkTime = 8 };
enum class Packing : uint8_t { kNone, kLz4, kZstd };

/// One piece of code in a fatbin; the views point into it.
struct FatbinEntry {
  CodeKind kind = CodeKind::kPtx;
  Packing packing = Packing::kNone;
  int architecture = 0;  // 86
  char variant = 0;      // 'a', 'f' or none
  std::string_view name = {};
  std::string_view payload = {};  // as it stands, without padding where its size is known
  uint64_t unpacked_bytes = 0;    // of a packed payload
};

/// The entries of the fatbin that begins with `bytes`; what follows it is ignored.
[[nodiscard]] Result<std::vector<FatbinEntry>> read_fatbin(std::string_view bytes);

/// The payload unpacked; PTX without its closing zeros.
[[nodiscard]] Result<std::string> unpack(const FatbinEntry& entry);

/// The bytes of a fatbin that begins at `header`, by what it says of itself.
[[nodiscard]] std::string_view fatbin_at(const void* header);

/// "sm_86", "sm_90a".
[[nodiscard]] std::string architecture_name(const FatbinEntry& entry);

/// What the driver would compile for that architecture (86 for sm_86): the highest PTX that is not
/// above it; 'a' only for the very same, 'f' for the same family. Null when there is none.
[[nodiscard]] const FatbinEntry* choose_ptx(const std::vector<FatbinEntry>& entries, int target);

/// A fatbin with a PTX and a machine code, raw: what a compiler wrapper leaves beside its cubin.
[[nodiscard]] std::string write_fatbin(const std::string& ptx, const std::string& cubin,
                                       int architecture, char variant);

}  // namespace warpledger::cuda
