// interpose/compilers/: our libnvrtc.so.13 and libnvJitLink.so.13, in front of NVIDIA's. NVIDIA's
// compile and link; a program that asks them for machine code gets the PTX with it, as
// warpledger-ptxas gives Triton, so that the driver library has something to run.
//
// This file: NVIDIA's library, where the loader would have found it.
#pragma once

#include <cstdint>

namespace warpledger::cuda::compilers {

class RealLibrary {
 public:
  /// "libnvrtc.so.13", and what people call it.
  RealLibrary(const char* file, const char* name);
  /// Null where the library is not found (one line on standard error says so), or has no such name.
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  [[nodiscard]] void* symbol(const char* name) const;
  void* library_;
};

/// Any function of up to six words that returns one: handing on six fits them all.
using Word = intptr_t;
using Forwarded = Word(Word, Word, Word, Word, Word, Word);

}  // namespace warpledger::cuda::compilers
