// NVIDIA's closed libraries, by the names of their files and of their kernels. Their license
// forbids disassembling them: their code is refused by name before any tool sees it.
#pragma once

#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::sass {

/// The library that a file belongs to, by its name: "cuBLAS"; "" where it is not one of them.
[[nodiscard]] std::string_view closed_library_of_file(std::string_view path);

/// The library that a kernel belongs to, by its symbol; "" where it is not one of them.
[[nodiscard]] std::string_view closed_library_of_symbol(std::string_view symbol);

/// Fails, naming the library, where the cubin `name` is or holds code of one of them.
[[nodiscard]] Status check_open(const std::string& name, const Cubin& cubin);

}  // namespace warpledger::sass
