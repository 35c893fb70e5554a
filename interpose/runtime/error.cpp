// Errors: what a call answered, by number, name and sentence.
#include "interpose/runtime/state.h"

namespace warpledger::cuda::runtime {

cudaError_t& last_error() {
  thread_local cudaError_t last = cudaSuccess;
  return last;
}
cudaError_t note(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

namespace {

struct Words {
  cudaError_t error;
  const char *name, *text;
};
constexpr Words kWords[] = {
#define ERROR(name, text) {name, #name, text},
#include "interpose/runtime/errors.def"
#undef ERROR
};

const Words* words_of(cudaError_t error) {
  for (const Words& words : kWords) {
    if (words.error == error) return &words;
  }
  return nullptr;
}

}  // namespace
}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

// A kernel's fault stays: every later call answers with it.
cudaError_t cudaGetLastError() {
  const cudaError_t sticky = as_cuda(Core::get().sticky());
  const cudaError_t error = sticky != cudaSuccess ? sticky : last_error();
  last_error() = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() {
  const cudaError_t sticky = as_cuda(Core::get().sticky());
  return sticky != cudaSuccess ? sticky : last_error();
}
const char* cudaGetErrorName(cudaError_t error) {
  const Words* words = words_of(error);
  return words == nullptr ? "unrecognized error code" : words->name;
}
const char* cudaGetErrorString(cudaError_t error) {
  const Words* words = words_of(error);
  return words == nullptr ? "unrecognized error code" : words->text;
}
}
