#include <array>

#include "warpledger/base/units.h"
#include "warpledger/plan/plan.h"

namespace warpledger::plan {
namespace {

struct Entry {
  const char* name;
  int bits;
  const char* cuda_type;
  const char* header;
};

// Sub-byte elements are stored as bytes. A barrier is the 64-bit mbarrier object of PTX.
constexpr std::array<Entry, 22> kDtypes = {{{"f64", 64, "double", ""},
                                            {"f32", 32, "float", ""},
                                            {"tf32", 32, "float", ""},
                                            {"f16", 16, "__half", "cuda_fp16.h"},
                                            {"bf16", 16, "__nv_bfloat16", "cuda_bf16.h"},
                                            {"e4m3", 8, "__nv_fp8_e4m3", "cuda_fp8.h"},
                                            {"e5m2", 8, "__nv_fp8_e5m2", "cuda_fp8.h"},
                                            {"e8m0", 8, "unsigned char", ""},
                                            {"e2m1", 4, "unsigned char", ""},
                                            {"s64", 64, "long long", ""},
                                            {"u64", 64, "unsigned long long", ""},
                                            {"s32", 32, "int", ""},
                                            {"u32", 32, "unsigned int", ""},
                                            {"s16", 16, "short", ""},
                                            {"u16", 16, "unsigned short", ""},
                                            {"s8", 8, "signed char", ""},
                                            {"u8", 8, "unsigned char", ""},
                                            {"s4", 4, "unsigned char", ""},
                                            {"u4", 4, "unsigned char", ""},
                                            {"b1", 1, "unsigned char", ""},
                                            {"bool", 8, "bool", ""},
                                            {"barrier", 64, "unsigned long long", ""}}};

}  // namespace

std::optional<Dtype> find_dtype(std::string_view name) {
  for (const Entry& entry : kDtypes) {
    if (name == entry.name) return Dtype{entry.name, entry.bits, entry.cuda_type, entry.header};
  }
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kDtypes) names.emplace_back(entry.name);
  return names;
}

int64_t tensor_bytes(const Buffer& buffer) {
  int64_t elements = 1;
  for (int64_t extent : buffer.shape) elements *= extent;
  return ceil_div(elements * buffer.dtype.bits, 8);
}

}  // namespace warpledger::plan
