// Where a hostile kernel runs: a buffer between pages that nobody has, with bytes behind its end
// that must not change, and the addresses that such a kernel may want to reach from it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <vector>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"

namespace warpledger::exec {

/// What a kernel aims at in this process.
inline constexpr uint64_t kSecret = 0x5ec2e7;
inline volatile uint64_t secret = kSecret;

class Cage {
 public:
  static constexpr uint64_t kBytes = 1008;  // of the buffer: it ends within a page
  static constexpr uint64_t kPage = 4096, kFar = 1 << 20;

  explicit Cage(DeviceMemory& memory) {
    address_ = *memory.allocate(kBytes, "A", kFar);
    host_ = memory.find(address_, kBytes);
    std::memset(host_ + kBytes, static_cast<int>(kCanary), kPage - kBytes);
    protect(PROT_NONE);
  }
  ~Cage() { protect(PROT_READ | PROT_WRITE); }
  Cage(const Cage&) = delete;
  Cage& operator=(const Cage&) = delete;

  [[nodiscard]] uint64_t address() const { return address_; }
  [[nodiscard]] std::byte* host() const { return host_; }
  [[nodiscard]] bool is_whole() const {
    return std::all_of(host_ + kBytes, host_ + kPage,
                       [](std::byte byte) { return byte == kCanary; });
  }

  /// Where a kernel may want to go from its base.
  uint64_t far_away(testing::Rng& rng) const {
    const auto to = [&](const void* what) {
      return reinterpret_cast<uint64_t>(what) - reinterpret_cast<uint64_t>(host_);
    };
    constexpr uint64_t k31 = uint64_t{1} << 31, k32 = uint64_t{1} << 32, k63 = uint64_t{1} << 63;
    const std::vector<uint64_t> all = {
        0, 0, 0, 4, 16, 64, 900, kBytes - 128, kBytes - 4, kBytes - 16, kBytes, kPage - kBytes,
        kPage, kFar, uint64_t(-4), uint64_t(-128), uint64_t(-kPage), k31, k32, k32 - 4, k63,
        k63 - 4, ~uint64_t{0}, uint64_t(-k31), uint64_t{1} << 36, 255, 256 - 16, 64 - 4,
        // The windows of generic addresses lie 2^32 apart; ranks of a cluster 2^24.
        2 * k32, 3 * k32, uint64_t(-k32), uint64_t(-2 * k32), k32 + 1024 - 16, uint64_t{1} << 24,
        uint64_t{5} << 24, uint64_t{0xff} << 24, to(const_cast<const uint64_t*>(&secret)),
        to(&rng)};
    return rng.pick(all);
  }

 private:
  static constexpr std::byte kCanary{0xa5};

  void protect(int how) {
    const uint64_t before = std::min<uint64_t>(kFar, address_ - kGlobalBase) - kPage;
    if (address_ - kGlobalBase > kPage) mprotect(host_ - before, before, how);
    mprotect(host_ + kPage, kFar, how);
  }

  uint64_t address_ = 0;
  std::byte* host_ = nullptr;
};

/// While it lives, a fault of memory names the seed and ends the program.
class EscapeWatch {
 public:
  EscapeWatch() : before_(std::signal(SIGSEGV, tell)) {}
  ~EscapeWatch() { std::signal(SIGSEGV, before_); }
  EscapeWatch(const EscapeWatch&) = delete;
  EscapeWatch& operator=(const EscapeWatch&) = delete;

  static void begin(uint64_t seed) {
    size_ = fmt::format_to_n(note_, sizeof note_, "WL_SEED={} escapes\n", seed).size;
  }

 private:
  static void tell(int) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, note_, size_);
    _exit(1);
  }
  static inline char note_[64];
  static inline size_t size_ = 0;
  void (*before_)(int);
};

/// Runs it; the code of its fault, "" without one.
template <class Made>
std::string code_of(const Made& engine, uint32_t slots) {
  if (!engine) return engine.error().code;
  trace::CountSink sink;
  const Status done = trace::run_all(**engine, sink, slots);
  return done ? "" : done.error().code;
}

/// Seeds to run: WL_SEED names one; WL_HOSTILE says how many, WL_HOSTILE_FIRST from which on
/// (tools/nightly), WL_HOSTILE_SECONDS for how long at most (.ci/run).
class Seeds {
 public:
  explicit Seeds(uint64_t usual) : end_(1 + usual) {
    const auto number = [](const char* name, uint64_t otherwise) {
      const char* text = std::getenv(name);
      return text != nullptr ? std::stoull(text) : otherwise;
    };
    is_one_ = std::getenv("WL_SEED") != nullptr;
    is_long_ = std::getenv("WL_HOSTILE") != nullptr;
    next_ = first_ = number(is_one_ ? "WL_SEED" : "WL_HOSTILE_FIRST", 1);
    end_ = first_ + (is_one_ ? 1 : number("WL_HOSTILE", usual));
    seconds_ = static_cast<double>(number("WL_HOSTILE_SECONDS", 0));
  }
  /// False when they are over, or the time is.
  bool take(uint64_t& seed) {
    if (next_ == end_ || (seconds_ > 0 && seconds() > seconds_)) return false;
    seed = next_++;
    EscapeWatch::begin(seed);
    return true;
  }
  [[nodiscard]] uint64_t count() const { return next_ - first_; }
  [[nodiscard]] bool is_one() const { return is_one_; }
  [[nodiscard]] bool is_long() const { return is_long_; }  // and what was done is printed
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  uint64_t first_ = 1, next_ = 1, end_;
  bool is_one_ = false, is_long_ = false;
  double seconds_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace warpledger::exec
