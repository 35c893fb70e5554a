#include "warpledger/sass/cubin/closed_library.h"

#include <fmt/core.h>

namespace warpledger::sass {
namespace {

struct Named {
  std::string_view part, library;
};

/// What the files' names begin with.
constexpr Named kFiles[] = {
    {"libcublas", "cuBLAS"},       {"libcudnn", "cuDNN"},
    {"libcufft", "cuFFT"},         {"libcusparse", "cuSPARSE"},
    {"libcusolver", "cuSOLVER"},   {"libcurand", "cuRAND"},
    {"libcutensor", "cuTENSOR"},   {"libnpp", "NPP"},
    {"libnvjpeg", "nvJPEG"},       {"libnvinfer", "TensorRT"},
    {"libnvshmem", "NVSHMEM"},     {"libcuvs", "cuVS"},
    {"libcudss", "cuDSS"},         {"libcufile", "cuFile"},
    {"libcuquantum", "cuQuantum"}, {"libcutensornet", "cuTensorNet"},
};

/// What names in kernels' symbols begin with: namespaces, and kernels that reports show.
constexpr Named kSymbols[] = {
    {"cublas", "cuBLAS"},
    {"cudnn", "cuDNN"},
    {"cufft", "cuFFT"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cutensor", "cuTENSOR"},
    {"nvjpeg", "nvJPEG"},
    {"nvshmem", "NVSHMEM"},
    {"nvinfer", "TensorRT"},
    {"cask_", "cuDNN or cuBLAS"},
    {"xmma_", "cuDNN or cuBLAS"},
    {"sm80_xmma", "cuDNN or cuBLAS"},
    {"sm86_xmma", "cuDNN or cuBLAS"},
    {"ampere_sgemm", "cuBLAS"},
    {"ampere_dgemm", "cuBLAS"},
    {"ampere_h1688", "cuBLAS"},
    {"ampere_fp16_s1688", "cuBLAS"},
    {"ampere_bf16_s1688", "cuBLAS"},
    {"ampere_s16816", "cuBLAS"},
    {"volta_sgemm", "cuBLAS"},
    {"turing_h1688", "cuBLAS"},
    {"regular_fft", "cuFFT"},
    {"vector_fft", "cuFFT"},
};

/// Whether a name in the symbol begins so: a mangled symbol has its length before it. A name that
/// only contains the word, like "faster_than_cublas", is somebody else's.
bool names(std::string_view symbol, std::string_view part) {
  for (size_t at = symbol.find(part); at != std::string_view::npos; at = symbol.find(part, at + 1))
    if (at == 0 || (symbol[at - 1] >= '0' && symbol[at - 1] <= '9')) return true;
  return false;
}

}  // namespace

std::string_view closed_library_of_file(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const Named& named : kFiles) {
    if (file.starts_with(named.part)) return named.library;
  }
  return {};
}

std::string_view closed_library_of_symbol(std::string_view symbol) {
  for (const Named& named : kSymbols) {
    if (names(symbol, named.part)) return named.library;
  }
  return {};
}

Status check_open(const std::string& name, const Cubin& cubin) {
  std::string_view library = closed_library_of_file(name), symbol;
  for (const CubinFunction& function : cubin.functions) {
    if (!library.empty()) break;
    library = closed_library_of_symbol(function.name);
    symbol = function.name;
  }
  if (library.empty()) return {};
  return Diagnostic{.message = fmt::format(
                        "'{}'{} is machine code of {}, whose license forbids disassembling it",
                        name, symbol.empty() ? "" : fmt::format(" with '{}'", symbol), library),
                    .hint =
                        "profile kernels of your own or of open libraries; docs/math-libraries.md "
                        "lists the calls that run on the CPU",
                    .code = "closed-library"};
}

}  // namespace warpledger::sass
