// Kernels that try to leave their memory, through both engines: the interpreter looks at every lane
// and is the judge of what is in bounds; compiled code must fault where it does, and touch nothing
// else: pages around the buffer and behind the other spaces are not there, and the bytes behind its
// end keep their value.
#include <iostream>

#include "tests/unit/exec/jit/both.h"
#include "tests/unit/exec/jit/cage.h"
#include "tests/unit/exec/jit/fence.h"
#include "tests/unit/exec/jit/hostile_kernel.h"
#include "warpledger/exec/decode/bad_accesses.h"

namespace warpledger::exec {
namespace {

#ifdef WL_SANITIZED
constexpr uint64_t kKernels = 4;
#else
constexpr uint64_t kKernels = 30;
#endif
constexpr int kAttempts = 100;
constexpr size_t kFenced = 1000;  // bytes: shared memory and constants

struct Seen {
  std::string code;  // of the fault
  std::vector<std::byte> buffer;
};

template <class Run>
Seen see(const Cage& cage, Run run) {
  std::memset(cage.host(), 1, Cage::kBytes);
  Seen seen{.code = run()};
  seen.buffer.assign(cage.host(), cage.host() + Cage::kBytes);
  return seen;
}

class Attack {
 public:
  explicit Attack(uint64_t seed)
      : seed_(seed), rng_(seed * 104729, 20), kernel_(seed), machine_(kernel_.text()) {
    threads_ = kernel_.needs_whole_warps() ? 32 : static_cast<uint32_t>(rng_.between(1, 40));
    record_ = rng_.coin();
    goes_on_ = rng_.between(0, 7) == 0;
  }

  void run() {
    Cage cage(machine_.memory());
    attempt(cage);  // compiles
    const Fence fence(kFenced);
    for (int i = 1; i < kAttempts && !::testing::Test::HasFailure(); ++i) attempt(cage);
  }
  [[nodiscard]] uint64_t faults() const { return faults_; }

 private:
  void attempt(const Cage& cage) {
    const bool starts_inside = rng_.between(0, 1) == 0;  // and learns its window
    const uint64_t from = starts_inside ? 0 : cage.far_away(rng_);
    const uint64_t step = rng_.coin() ? 16 : cage.far_away(rng_);
    const auto turns = static_cast<uint64_t>(rng_.between(1, 4));
    const Launch launch{.kernel = "k",
                        .block = {threads_, 1, 1},
                        .params = TestMachine::pack(cage.address(), from, step, turns)};
    BadAccesses noted;
    Limits limits{.warp_instructions = 100'000};
    if (goes_on_) limits.bad_accesses = &noted;
    const Seen judged = see(cage, [&] {
      return code_of(reference::Engine::create(machine_.image(), launch, limits), 1);
    });
    const Seen compiled = see(cage, [&] {
      const EngineOptions options{.record = record_, .count = true, .limits = limits};
      return code_of(
          jit::Engine::create(machine_.image(), launch, jit::shared_code_cache({}), options), 1);
    });
    faults_ += judged.code.empty() ? 0 : 1;
    const auto what = [&] {
      return fmt::format("WL_SEED={} from {:#x} step {:#x} turns {} threads {}\n{}", seed_, from,
                         step, turns, threads_, kernel_.text());
    };
    EXPECT_EQ(compiled.code, judged.code) << what();
    if (judged.code.empty()) {
      EXPECT_EQ(compiled.buffer, judged.buffer) << what();
    }
    EXPECT_TRUE(cage.is_whole()) << "the bytes behind the buffer\n" << what();
    EXPECT_EQ(secret, kSecret) << what();
  }

  uint64_t seed_;
  testing::Rng rng_;
  uint32_t threads_ = 32;
  bool record_ = false;
  bool goes_on_ = false;  // after accesses that fault (--on-error continue)
  HostileKernel kernel_;
  TestMachine machine_;
  uint64_t faults_ = 0;
};

TEST(HostileKernels, TouchNothingThatIsNotTheirs) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  Seeds seeds(kKernels);
  const EscapeWatch watch;
  uint64_t seed = 0, faults = 0;
  while (!HasFailure() && seeds.take(seed)) {
    Attack attack(seed);
    attack.run();
    faults += attack.faults();
  }
  const uint64_t launches = seeds.count() * kAttempts;
  if (!seeds.is_one()) {
    EXPECT_GT(faults, launches / 4) << "too few try";
    EXPECT_LT(faults, launches * 9 / 10) << "too few run";
  }
  if (seeds.is_long())
    std::cout << fmt::format("{} hostile kernels, {} launches, {} stopped, {:.0f} a second\n",
                             seeds.count(), launches, faults,
                             static_cast<double>(launches) / seeds.seconds());
}

}  // namespace
}  // namespace warpledger::exec
