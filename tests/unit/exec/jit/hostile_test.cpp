// Kernels that try to leave their memory, through both engines: the interpreter looks at every lane
// and is the judge of what is in bounds; compiled code must fault where it does, and touch nothing
// else: pages around the buffer are not there, and the bytes behind its end keep their value.
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>

#include "tests/unit/exec/jit/both.h"
#include "tests/unit/exec/jit/hostile_kernel.h"

namespace warpledger::exec {
namespace {

#ifdef WL_SANITIZED
constexpr uint64_t kKernels = 4;
#else
constexpr uint64_t kKernels = 30;
#endif
constexpr int kAttempts = 100;
constexpr uint64_t kBytes = 1000;  // of the buffer: it ends within a page
constexpr uint64_t kPage = 4096, kFar = 1 << 20;
constexpr std::byte kCanary{0xa5};

/// What a kernel aims at in this process.
volatile uint64_t target = 0x5ec2e7;

/// A buffer between unmapped pages.
class Cage {
 public:
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

 private:
  void protect(int how) {
    const uint64_t before = std::min<uint64_t>(kFar, address_ - kGlobalBase) - kPage;
    if (address_ - kGlobalBase > kPage) mprotect(host_ - before, before, how);
    mprotect(host_ + kPage, kFar, how);
  }

  uint64_t address_ = 0;
  std::byte* host_ = nullptr;
};

/// Where a kernel may want to go from its base.
uint64_t far_away(testing::Rng& rng, const Cage& cage) {
  const auto to = [&](const void* what) {
    return reinterpret_cast<uint64_t>(what) - reinterpret_cast<uint64_t>(cage.host());
  };
  const std::vector<uint64_t> all = {0,
                                     0,
                                     0,
                                     4,
                                     16,
                                     64,
                                     900,
                                     kBytes - 128,
                                     kBytes - 4,
                                     kBytes,
                                     kPage - kBytes,
                                     kPage,
                                     kFar,
                                     uint64_t(-4),
                                     uint64_t(-128),
                                     uint64_t(-kPage),
                                     uint64_t{1} << 31,
                                     uint64_t{1} << 32,
                                     (uint64_t{1} << 32) - 4,
                                     uint64_t{1} << 63,
                                     (uint64_t{1} << 63) - 4,
                                     ~uint64_t{0},
                                     uint64_t(-(int64_t{1} << 31)),
                                     uint64_t{1} << 36,
                                     255,
                                     256 - 16,
                                     64 - 4,
                                     to(const_cast<const uint64_t*>(&target)),
                                     to(&rng)};
  return rng.pick(all);
}

struct Seen {
  std::string code;  // of the fault
  std::vector<std::byte> buffer;
};

template <class Run>
Seen see(const Cage& cage, Run run) {
  std::memset(cage.host(), 1, kBytes);
  Seen seen{.code = run()};
  seen.buffer.assign(cage.host(), cage.host() + kBytes);
  return seen;
}

char note[64];
size_t note_size = 0;

void tell(int) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, note, note_size);
  _exit(1);
}

class Attack {
 public:
  explicit Attack(uint64_t seed)
      : seed_(seed), rng_(seed * 104729, 20), kernel_(seed), machine_(kernel_.text()) {
    threads_ = static_cast<uint32_t>(rng_.between(1, 40));
    record_ = rng_.coin();
  }

  void run() {
    Cage cage(machine_.memory());
    for (int i = 0; i < kAttempts && !::testing::Test::HasFailure(); ++i) attempt(cage);
  }
  [[nodiscard]] uint64_t faults() const { return faults_; }

 private:
  void attempt(const Cage& cage) {
    const bool starts_inside = rng_.between(0, 1) == 0;  // and learns its window
    const uint64_t from = starts_inside ? 0 : far_away(rng_, cage);
    const uint64_t step = rng_.coin() ? 16 : far_away(rng_, cage);
    const auto turns = static_cast<uint64_t>(rng_.between(1, 4));
    const Launch launch{.kernel = "k",
                        .block = {threads_, 1, 1},
                        .params = TestMachine::pack(cage.address(), from, step, turns)};
    const Limits limits{.warp_instructions = 100'000};
    const Seen judged = see(cage, [&] {
      auto engine = reference::Engine::create(machine_.image(), launch, limits);
      return engine ? observe(**engine, 1).code : engine.error().code;
    });
    const Seen compiled =
        see(cage, [&] { return run_jit(machine_.image(), launch, limits, 1, record_).code; });
    faults_ += judged.code.empty() ? 0 : 1;
    const std::string what = fmt::format("WL_SEED={} from {:#x} step {:#x} turns {} threads {}\n{}",
                                         seed_, from, step, turns, threads_, kernel_.text());
    EXPECT_EQ(compiled.code, judged.code) << what;
    if (judged.code.empty()) {
      EXPECT_EQ(compiled.buffer, judged.buffer) << what;
    }
    EXPECT_TRUE(cage.is_whole()) << "the bytes behind the buffer\n" << what;
    EXPECT_EQ(target, 0x5ec2e7u) << what;
  }

  uint64_t seed_;
  testing::Rng rng_;
  uint32_t threads_ = 32;
  bool record_ = false;
  HostileKernel kernel_;
  TestMachine machine_;
  uint64_t faults_ = 0;
};

TEST(HostileKernels, TouchNothingThatIsNotTheirs) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  const char* many = std::getenv("WL_HOSTILE");  // tools/nightly
  const char* only = std::getenv("WL_SEED");
  const uint64_t count = only != nullptr ? 1 : many != nullptr ? std::stoull(many) : kKernels;
  const uint64_t first = only != nullptr ? std::stoull(only) : 1;
  const auto before = std::signal(SIGSEGV, tell);
  const auto begun = std::chrono::steady_clock::now();
  uint64_t faults = 0;
  for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    note_size = fmt::format_to_n(note, sizeof note, "WL_SEED={} escapes\n", seed).size;
    Attack attack(seed);
    attack.run();
    faults += attack.faults();
  }
  std::signal(SIGSEGV, before);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const auto launches = static_cast<double>(count * kAttempts);
  EXPECT_GT(static_cast<double>(faults), launches / 4) << "too few try";
  EXPECT_LT(static_cast<double>(faults), launches * 0.9) << "too few run";
  if (many != nullptr)
    std::cout << fmt::format("{} hostile kernels, {:.0f} launches, {} stopped, {:.0f} a second\n",
                             count, launches, faults, launches / took.count());
}

}  // namespace
}  // namespace warpledger::exec
