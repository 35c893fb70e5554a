// libwarpledger_nvrtc.so, loaded before NVRTC: a program that asks NVRTC for machine code gets a
// fatbin with the PTX beside it, as warpledger-ptxas gives Triton one, so that the driver library has
// something to run. NVRTC itself compiles.
//
// These two names come before NVRTC's own for every library that was linked with it. One that looks
// them up in NVRTC's handle (ctypes) does not see them.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "interpose/fatbin.h"

namespace {

using Program = void*;
constexpr int kSuccess = 0, kInvalidInput = 3, kInternalError = 11;  // nvrtcResult

/// NVRTC's own function, of the library that the program has loaded. Null: there is none.
template <class Function>
Function* real(const char* name) {
  static void* library = [] {
    void* found = nullptr;
    for (const char* file : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
      if (found == nullptr) found = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    }
    return found;
  }();
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

using GetSize = int(Program, size_t*);
using GetText = int(Program, char*);

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
}
