// What nvdisasm printed of cubins, kept for a while: a program launches its kernels often, and
// asking takes a fifth of a second.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/sass/code.h"

namespace warpledger::exec::machine {

using Functions = std::vector<sass::Function>;

/// Listings by content. Of more than `most` instructions together, those that nobody has asked for
/// longest are forgotten; the last one stays, whatever its size.
class KeptListings {
 public:
  explicit KeptListings(size_t most) : most_(most) {}

  /// The listing of a cubin: a kept one, or nvdisasm's.
  [[nodiscard]] Result<std::shared_ptr<const Functions>> list(const std::string& cubin);

  /// What is kept by that name; null when it is not.
  [[nodiscard]] std::shared_ptr<const Functions> find(const std::string& name);
  [[nodiscard]] std::shared_ptr<const Functions> keep(const std::string& name, Functions functions);
  [[nodiscard]] size_t instructions() const { return instructions_; }

 private:
  struct Kept {
    std::shared_ptr<const Functions> functions;
    size_t instructions = 0;
    uint64_t last_use = 0;
  };
  void forget_oldest();

  std::mutex mutex_;
  size_t most_, instructions_ = 0;
  uint64_t uses_ = 0;
  std::map<std::string, Kept> kept_;
};

}  // namespace warpledger::exec::machine
