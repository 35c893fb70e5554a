#include "interpose/device_runtime.h"

namespace warpledger::cuda {
namespace {

constexpr const char* kDeclared = ".extern .func cudaGraphSetConditional";
constexpr const char* kDefinition = R"(
.func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [handle];
	ld.param.u32 %r1, [value];
	cvta.to.global.u64 %rd2, %rd1;
	st.global.u32 [%rd2], %r1;
	ret;
}
)";

}  // namespace

std::string with_device_runtime(std::string ptx) {
  const size_t at = ptx.find(kDeclared);
  if (at == std::string::npos) return ptx;
  ptx.erase(at, std::string(".extern ").size());  // a declaration ahead of the definition
  return ptx + kDefinition;
}

}  // namespace warpledger::cuda
