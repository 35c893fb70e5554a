#!/usr/bin/env python3
"""tools/old-glibc: a program and a library linked for glibc 2.28 with this machine's compiler.   old_glibc_test.py FOLDER [ARM64-ROOT]

FOLDER is what tools/old-glibc made. Both run here and need nothing newer: constructors, exceptions, threads, files, random
numbers, dlopen. With what tools/arm64-root made, the same for arm64: the cross compiler, and qemu-user. For tools/nightly.
"""
import pathlib
import subprocess
import sys
import tempfile

from tool_module import load_tool

MOST = (2, 28)
LIBRARY = """
#include <stdexcept>
extern "C" int caught(int n) {
  try { if (n > 1) throw std::runtime_error("n"); } catch (const std::exception&) { return n; }
  return 0;
}
"""
PROGRAM = """
#include <dlfcn.h>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <thread>
struct Early { Early() { std::cout << "constructed "; } } early;
int main(int, char** words) {
  auto shared = std::make_shared<int>(3);
  std::thread([shared] { std::cout << *shared << " "; }).join();
  try { throw std::runtime_error("caught"); } catch (const std::exception& e) { std::cout << e.what() << " "; }
  std::random_device device;
  device();
  std::cout << (std::filesystem::file_size(words[0]) > 0) << " ";
  void* library = dlopen(words[1], RTLD_NOW);
  if (library == nullptr) return std::cout << dlerror(), 1;
  std::cout << reinterpret_cast<int (*)(int)>(dlsym(library, "caught"))(7) << std::endl;
}
"""


def versions(path):
    module = load_tool("wheel-symbols")
    found = module.highest(path.read_bytes())
    if module.number_of(found["GLIBC"]) > MOST or "GLIBCXX" in found:
        sys.exit(f"{path.name} needs {found}")
    return found


def main():
    stubs = pathlib.Path(sys.argv[1]).resolve()
    compiler, emulator = "g++", []
    if len(sys.argv) > 2:
        compiler, emulator = "aarch64-linux-gnu-g++", ["qemu-aarch64-static", "-L", pathlib.Path(sys.argv[2]).resolve()]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in {"library.cpp": LIBRARY, "program.cpp": PROGRAM}.items():
            (folder / file).write_text(text)
            subprocess.run([compiler, "-std=c++20", "-O1", "-fPIC", "-c", file, "-o", file + ".o"], cwd=folder, check=True)
        subprocess.run([compiler, "-shared", "library.cpp.o", f"@{stubs}/link", "-o", "library.so"], cwd=folder, check=True)
        subprocess.run([compiler, f"@{stubs}/program-begin", "program.cpp.o", f"@{stubs}/link", f"@{stubs}/program-end", "-o", "program"],
                       cwd=folder, check=True)
        needed = [versions(folder / file) for file in ("program", "library.so")]
        said = subprocess.run([*emulator, folder / "program", folder / "library.so"], capture_output=True, text=True, check=True).stdout
    if said != "constructed 3 caught 1 7\n":
        sys.exit(f"it says: {said}")
    print(f"links for glibc 2.28: {needed}")


if __name__ == "__main__":
    main()
