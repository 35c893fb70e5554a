// Any bytes as kept machine code: refused, or loaded with every symbol inside its own memory.
// Nothing is called: what code does is not the loader's to judge.
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "warpledger/exec/jit/runtime/object.h"

namespace {

using namespace warpledger::exec::jit;

void callee() {}

// The seeds define "k", and call "wl_callee" and "fma" (fuzz/corpus/jit_object).
const std::array<RuntimeFunction, 1> kFunctions = {
    {{"wl_callee", reinterpret_cast<void*>(&callee)}}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto loaded = LoadedObject::load(std::as_bytes(std::span(data, size)), kFunctions);
  if (!loaded) return 0;
  // Memory that is not there stops the fuzzer.
  if (const void* code = loaded->find("k")) {
    static_cast<void>(*static_cast<const volatile uint8_t*>(code));
  }
  return 0;
}
