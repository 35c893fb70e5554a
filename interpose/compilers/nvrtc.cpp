// The names of libnvrtc.so.13: all but two go to NVIDIA's.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "interpose/compilers/real.h"
#include "interpose/fatbin.h"

namespace {

using Program = void*;
using GetSize = int(Program, size_t*);
using GetText = int(Program, char*);
using warpledger::cuda::compilers::Forwarded;
using warpledger::cuda::compilers::Word;
constexpr int kSuccess = 0, kInvalidInput = 3, kInternalError = 11;  // nvrtcResult

template <class Function>
Function* real(const char* name) {
  static const warpledger::cuda::compilers::RealLibrary library("libnvrtc.so.13", "NVRTC");
  return library.find<Function>(name);
}

int read(Program program, const char* size_name, const char* text_name, std::string& text) {
  auto* get_size = real<GetSize>(size_name);
  auto* get_text = real<GetText>(text_name);
  if (get_size == nullptr || get_text == nullptr) return kInternalError;
  size_t bytes = 0;
  if (const int error = get_size(program, &bytes); error != kSuccess) return error;
  text.resize(bytes);
  return bytes == 0 ? kSuccess : get_text(program, text.data());
}

/// The PTX says what it is for: ".target sm_90a".
std::string keep_ptx(std::string ptx, const std::string& cubin) {
  ptx.resize(std::strlen(ptx.c_str()));
  const size_t at = ptx.find(".target sm_");
  if (at == std::string::npos) return cubin;
  char* end = nullptr;
  const long architecture = std::strtol(ptx.c_str() + at + std::strlen(".target sm_"), &end, 10);
  const char variant = *end == 'a' || *end == 'f' ? *end : '\0';
  return warpledger::cuda::write_fatbin(ptx, cubin, static_cast<int>(architecture), variant);
}

int code_of(Program program, std::string& code) {
  if (const int error = read(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN", code);
      error != kSuccess || code.empty())
    return error;
  std::string ptx;
  if (read(program, "nvrtcGetPTXSize", "nvrtcGetPTX", ptx) == kSuccess) code = keep_ptx(ptx, code);
  return kSuccess;
}

}  // namespace

extern "C" {

int nvrtcGetCUBINSize(Program program, size_t* bytes) {
  if (bytes == nullptr) return kInvalidInput;
  std::string code;
  const int error = code_of(program, code);
  *bytes = code.size();
  return error;
}

int nvrtcGetCUBIN(Program program, char* to) {
  if (to == nullptr) return kInvalidInput;
  std::string code;
  const int error = code_of(program, code);
  std::memcpy(to, code.data(), code.size());
  return error;
}

#define FORWARD(name)                                             \
  Word name(Word a, Word b, Word c, Word d, Word e, Word f) {     \
    static auto* to = real<Forwarded>(#name);                     \
    return to == nullptr ? kInternalError : to(a, b, c, d, e, f); \
  }
FORWARD(nvrtcAddNameExpression)
FORWARD(nvrtcCompileProgram)
FORWARD(nvrtcCreateProgram)
FORWARD(nvrtcDestroyProgram)
FORWARD(nvrtcGetLTOIR)
FORWARD(nvrtcGetLTOIRSize)
FORWARD(nvrtcGetLoweredName)
FORWARD(nvrtcGetNumSupportedArchs)
FORWARD(nvrtcGetOptiXIR)
FORWARD(nvrtcGetOptiXIRSize)
FORWARD(nvrtcGetPCHCreateStatus)
FORWARD(nvrtcGetPCHHeapSize)
FORWARD(nvrtcGetPCHHeapSizeRequired)
FORWARD(nvrtcGetPTX)
FORWARD(nvrtcGetPTXSize)
FORWARD(nvrtcGetProgramLog)
FORWARD(nvrtcGetProgramLogSize)
FORWARD(nvrtcGetSupportedArchs)
FORWARD(nvrtcGetTileIR)
FORWARD(nvrtcGetTileIRSize)
FORWARD(nvrtcSetFlowCallback)
FORWARD(nvrtcSetPCHHeapSize)
FORWARD(nvrtcVersion)
#undef FORWARD

const char* nvrtcGetErrorString(int result) {
  auto* to = real<const char*(int)>("nvrtcGetErrorString");
  return to == nullptr ? "NVRTC_ERROR_INTERNAL_ERROR" : to(result);
}
}
