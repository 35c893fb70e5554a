// Any bytes: a cubin with its line table, the PTX in it and each kernel cut out, or a Diagnostic;
// and any bytes as nvdisasm's JSON.
#include <cstdint>
#include <string>

#include "warpledger/sass/code.h"
#include "warpledger/sass/cubin/cubin.h"
#include "warpledger/sass/cubin/cut_kernel.h"
#include "warpledger/sass/cubin/ptx_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('[')) {
    static_cast<void>(sass::read_json_listing(bytes).ok());
    return 0;
  }
  static_cast<void>(sass::read_ptx_texts(bytes).ok());
  const auto cubin = sass::read_cubin(bytes);
  if (!cubin) return 0;
  for (const sass::CubinFunction& function : cubin->functions) {
    static_cast<void>(sass::line_at(cubin->ptx_lines, function.section, function.offset));
    static_cast<void>(sass::read_cubin(sass::cut_kernel(bytes, *cubin, function.name)).ok());
  }
  return 0;
}
