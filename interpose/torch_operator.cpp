#include "interpose/torch_operator.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "interpose/error.h"

namespace warpledger::cuda {
namespace {

constexpr size_t kMostFrames = 128;

/// The name of the exported function that contains the address; "" if there is none.
std::string function_at(void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_sname == nullptr) return {};
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, &status), std::free);
  return name == nullptr ? std::string() : std::string(name.get());
}

/// "add_Tensor" of "at::_ops::add_Tensor::call(at::Tensor const&, ...)".
std::string operator_of(const std::string& function) {
  constexpr std::string_view kSpace = "at::_ops::";
  const size_t begin = function.find(kSpace);
  if (begin == std::string::npos || begin > function.find('(')) return {};
  const std::string rest = function.substr(begin + kSpace.size());
  return rest.substr(0, rest.find("::"));
}

}  // namespace

std::string torch_operator() {
  std::array<void*, kMostFrames> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < count; ++i) {
    std::string found = operator_of(function_at(frames[static_cast<size_t>(i)]));
    if (!found.empty()) return found;
  }
  return {};
}

Diagnostic with_torch_operator(Diagnostic fault) {
  const std::string name = torch_operator();
  if (name.empty()) return fault;
  fault.message += fmt::format(", in PyTorch's operator {}", name);
  // An access out of bounds or a failed assertion is the program's: it has no other way.
  const bool is_ours = error_of(fault).value_or(Error::kNotSupported) == Error::kNotSupported;
  if (is_ours && fault.hint.empty())
    fault.hint = "--aten cpu computes PyTorch's operators on the CPU";
  return fault;
}

}  // namespace warpledger::cuda
