// A folder of its own for a test, removed at its end.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace warpledger::store::testing {

class Folder {
 public:
  Folder() {
    // In memory where that is possible: a kill is the same there, and a sync costs nothing.
    const std::filesystem::path memory = "/dev/shm";
    const bool has_memory = ::access(memory.c_str(), W_OK) == 0;
    std::string name =
        (has_memory ? memory : std::filesystem::temp_directory_path()) / "wl-store-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace warpledger::store::testing
