// The names of libnvJitLink.so.13: all go to NVIDIA's. Where a linker is made, line information is
// asked for, since a cubin with it carries its PTX (embedded_ptx.h); instructions stay the same.
#include <cstring>
#include <vector>

#include "interpose/compilers/real.h"

namespace {

using warpledger::cuda::compilers::Forwarded;
using warpledger::cuda::compilers::Word;
using Create = int(void**, uint32_t, const char**);
constexpr int kInternalError = 6;  // NVJITLINK_ERROR_INTERNAL

template <class Function>
Function* real(const char* name) {
  static const warpledger::cuda::compilers::RealLibrary library("libnvJitLink.so.13", "nvJitLink");
  return library.find<Function>(name);
}

int create(const char* name, void** handle, uint32_t count, const char** options) {
  auto* to = real<Create>(name);
  if (to == nullptr) return kInternalError;
  std::vector<const char*> all(options, options + count);
  bool has_lines = false;
  for (const char* one : all)
    has_lines |= std::strcmp(one, "-lineinfo") == 0 || std::strcmp(one, "-g") == 0;
  if (!has_lines) all.push_back("-lineinfo");
  return to(handle, static_cast<uint32_t>(all.size()), all.data());
}

}  // namespace

extern "C" {

#define CREATE(name)                                              \
  int name(void** handle, uint32_t count, const char** options) { \
    return create(#name, handle, count, options);                 \
  }
#define FORWARD(name)                                             \
  Word name(Word a, Word b, Word c, Word d, Word e, Word f) {     \
    static auto* to = real<Forwarded>(#name);                     \
    return to == nullptr ? kInternalError : to(a, b, c, d, e, f); \
  }
// nvJitLink.h calls the names with the version that it was written for; dlsym() finds the others.
#define ALL(name)          \
  FORWARD(name)            \
  FORWARD(__##name##_13_0) \
  FORWARD(__##name##_13_1) \
  FORWARD(__##name##_13_2) \
  FORWARD(__##name##_13_3) \
  FORWARD(__##name##_13_4) \
  FORWARD(__##name##_13_5)
CREATE(nvJitLinkCreate)
CREATE(__nvJitLinkCreate_13_0)
CREATE(__nvJitLinkCreate_13_1)
CREATE(__nvJitLinkCreate_13_2)
CREATE(__nvJitLinkCreate_13_3)
CREATE(__nvJitLinkCreate_13_4)
CREATE(__nvJitLinkCreate_13_5)
ALL(nvJitLinkAddData)
ALL(nvJitLinkAddFile)
ALL(nvJitLinkComplete)
ALL(nvJitLinkDestroy)
ALL(nvJitLinkGetErrorLog)
ALL(nvJitLinkGetErrorLogSize)
ALL(nvJitLinkGetInfoLog)
ALL(nvJitLinkGetInfoLogSize)
ALL(nvJitLinkGetLinkedCubin)
ALL(nvJitLinkGetLinkedCubinSize)
ALL(nvJitLinkGetLinkedLTOIR)
ALL(nvJitLinkGetLinkedLTOIRSize)
ALL(nvJitLinkGetLinkedPtx)
ALL(nvJitLinkGetLinkedPtxSize)
FORWARD(nvJitLinkVersion)
FORWARD(__nvJitLinkAPI)
#undef ALL
#undef FORWARD
#undef CREATE
}
