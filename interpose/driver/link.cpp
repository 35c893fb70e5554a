// The driver's linker (cuLinkCreate and so on). What comes out is the linked PTX in a fatbin, which
// cuModuleLoadData takes like any other image. Machine code cannot be linked here.
#include "interpose/link.h"

#include <cstring>
#include <memory>

#include "interpose/driver/state.h"
#include "interpose/fatbin.h"
#include "warpledger/base/file.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

struct Linker {
  std::vector<std::string> texts;
  std::string linked;  // a fatbin
};

Linker& linker_of(CUlinkState state) { return *reinterpret_cast<Linker*>(state); }

const char* name_of(CUjitInputType type) {
  switch (type) {
    case CU_JIT_INPUT_CUBIN:
      return "a cubin";
    case CU_JIT_INPUT_OBJECT:
      return "an object file";
    case CU_JIT_INPUT_LIBRARY:
      return "a library";
    default:
      return "this kind of input";
  }
}

CUresult refuse(CUjitInputType type, const char* name) {
  Core::say(std::string("cuLinkAddData: cannot link ") + name_of(type) + " ('" +
            (name == nullptr ? "" : name) + "'): only PTX and fatbins with PTX");
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult add_fatbin(Core& core, Linker& linker, std::string_view bytes, const char* name) {
  const auto entries = read_fatbin(bytes);
  if (!entries) return CUDA_ERROR_INVALID_IMAGE;
  const FatbinEntry* best = choose_ptx(*entries, core.target());
  if (best == nullptr) return refuse(CU_JIT_INPUT_CUBIN, name);
  auto text = unpack(*best);
  if (!text) return CUDA_ERROR_INVALID_IMAGE;
  return linker.texts.push_back(*std::move(text)), CUDA_SUCCESS;
}

CUresult add(CUlinkState state, CUjitInputType type, std::string_view bytes, const char* name) {
  return call([&](Core& core) {
    if (state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Linker& linker = linker_of(state);
    if (type == CU_JIT_INPUT_FATBINARY) return add_fatbin(core, linker, bytes, name);
    if (type != CU_JIT_INPUT_PTX) return refuse(type, name);
    // The size may count the closing zero, or not.
    linker.texts.emplace_back(bytes.substr(0, bytes.find('\0')));
    return CUDA_SUCCESS;
  });
}

}  // namespace

extern "C" {

CUresult cuLinkCreate_v2(unsigned, CUjit_option*, void**, CUlinkState* state) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return *state = reinterpret_cast<CUlinkState>(new Linker), CUDA_SUCCESS;
}
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t bytes,
                          const char* name, unsigned, CUjit_option*, void**) {
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add(state, type, {static_cast<const char*>(data), bytes}, name);
}
CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned,
                          CUjit_option*, void**) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto bytes = warpledger::read_file(path);
  return bytes ? add(state, type, *bytes, path) : CUDA_ERROR_FILE_NOT_FOUND;
}
CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  return call([&](Core&) {
    if (state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Linker& linker = linker_of(state);
    if (image == nullptr || linker.texts.empty()) return CUDA_ERROR_INVALID_VALUE;
    const auto text = link_ptx(linker.texts);
    if (!text) return Core::say(text.error()), CUDA_ERROR_INVALID_PTX;
    linker.linked = write_fatbin(*text, {}, 0, 0);
    *image = linker.linked.data();
    if (bytes != nullptr) *bytes = linker.linked.size();
    return CUDA_SUCCESS;
  });
}
CUresult cuLinkDestroy(CUlinkState state) {
  if (state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::unique_ptr<Linker> last(&linker_of(state));
  return CUDA_SUCCESS;
}
}
