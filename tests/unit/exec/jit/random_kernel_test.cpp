// The JIT against the interpreter on random kernels: every byte of memory, every record.
#include "tests/unit/exec/jit/random_kernel.h"

#include <unistd.h>

#include <csignal>
#include <iostream>

#include "tests/unit/exec/jit/both.h"
#include "tests/unit/exec/jit/random_launch.h"

namespace warpledger::exec {
namespace {

#ifdef WL_SANITIZED
constexpr uint64_t kKernelsOfAGroup = 10;
#else
constexpr uint64_t kKernelsOfAGroup = 40;
#endif

struct Outcome {
  std::string difference;
  std::string text;
  bool compiled = false, needed_values = false;
  bool refused = false;  // the interpreter does not run it to its end
};

/// The seed's launch of the kernel `text`.
Outcome run_text(uint64_t seed, int size, std::string text) {
  static const std::vector<Extent> kBlocks = {{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {16, 4, 1},
                                              {8, 4, 2},  {33, 1, 1}, {5, 3, 3},  {128, 1, 1}};
  testing::Rng rng(seed * 7919 + 1, size);
  static const std::vector<Extent> kWholeWarps = {{32, 1, 1}, {64, 1, 1}, {16, 4, 1}, {128, 1, 1}};
  const Extent block = rng.pick(RandomKernel::needs_whole_warps(seed) ? kWholeWarps : kBlocks);
  // CTAs that come after others in their slot use what compiled code found out about those.
  const auto grid = static_cast<uint32_t>(rng.between(1, 6));
  const auto slots = static_cast<uint32_t>(rng.between(1, 2));
  Outcome outcome{.text = std::move(text)};
  TestMachine machine(outcome.text, fmt::format("seed{}.ptx", seed));
  outcome.refused = !machine.is_loaded();  // a line of a function is missing
  if (outcome.refused) return outcome;
  const Launch launch = random_launch(machine, rng, "k", grid, block);
  const Comparison compared =
      compare_engines(machine.image(), launch, {.warp_instructions = 1'000'000}, slots);
  outcome.compiled = compared.compiled;
  outcome.refused = !compared.error.empty();
  outcome.needed_values = compared.needed_values;
  outcome.difference =
      compared.error.empty() ? compared.difference : compared.error + compared.difference;
  return outcome;
}

Outcome run_one(uint64_t seed, int size) {
  return run_text(seed, size, RandomKernel(seed, size).text());
}

// Without the first line that it fails without, again and again; a kernel that the interpreter
// refuses does not count.
Outcome without_lines(uint64_t seed, int size, Outcome failing) {
  for (size_t begin = 0; begin < failing.text.size();) {
    const size_t end = failing.text.find('\n', begin) + 1;
    std::string shorter = failing.text;
    shorter.erase(begin, end - begin);
    Outcome outcome = run_text(seed, size, std::move(shorter));
    if (outcome.difference.empty() || outcome.refused)
      begin = end;
    else
      failing = std::move(outcome);
  }
  return failing;
}

Outcome shrunk(uint64_t seed, int size, Outcome failing) {
  for (int smaller = 1; smaller < size; ++smaller) {
    Outcome outcome = run_one(seed, smaller);
    if (outcome.difference.empty() || outcome.refused) continue;
    failing = std::move(outcome);
    size = smaller;
    break;
  }
  return without_lines(seed, size, std::move(failing));
}

// A process that dies of a kernel says which one it was.
class DeathNote {
 public:
  DeathNote() {
    struct sigaction ours = {};
    ours.sa_handler = tell;
    sigaction(SIGSEGV, &ours, &before_);
  }
  ~DeathNote() { sigaction(SIGSEGV, &before_, nullptr); }
  DeathNote(const DeathNote&) = delete;
  DeathNote& operator=(const DeathNote&) = delete;
  void write(uint64_t seed) {
    const auto end = fmt::format_to_n(text_, sizeof text_, "WL_SEED={} ends the process\n", seed);
    size_ = end.size;
  }

 private:
  static void tell(int) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text_, size_);
    sigaction(SIGSEGV, &before_, nullptr);  // the access comes again, and with it what was before
  }
  static inline char text_[64];
  static inline size_t size_ = 0;
  static inline struct sigaction before_ = {};
};

// Kernels by the group, so that groups run side by side.
constexpr uint64_t kGroups = 5;

class RandomKernels : public ::testing::TestWithParam<uint64_t> {};

TEST_P(RandomKernels, RunAlikeInBothEngines) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  const char* many = std::getenv("WL_KERNELS");  // of each group; tools/nightly
  const char* only = std::getenv("WL_SEED");
  const uint64_t count = only != nullptr   ? 1
                         : many != nullptr ? std::stoull(many)
                                           : kKernelsOfAGroup;
  const uint64_t first = only != nullptr ? std::stoull(only) : 1 + GetParam() * count;
  uint64_t compiled = 0, needed_values = 0;
  if (std::getenv("WL_QUICK") != nullptr) jit::shared_code_cache({}).hurry();  // more of them
  DeathNote note;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    note.write(seed);
    const int size = static_cast<int>(4 + seed % 30);
    Outcome outcome = run_one(seed, size);
    compiled += outcome.compiled ? 1 : 0;
    needed_values += outcome.needed_values ? 1 : 0;
    if (many != nullptr && (seed - first) % 500 == 499) std::cout << seed << std::endl;
    if (outcome.difference.empty()) continue;
    if (!outcome.refused) outcome = shrunk(seed, size, std::move(outcome));
    FAIL() << "WL_SEED=" << seed << "\n" << outcome.text << outcome.difference.substr(0, 3000);
  }
  RecordProperty("compiled", static_cast<int>(compiled));
  if (many != nullptr)
    std::cout << "seeds " << first << " to " << first + count - 1 << ": " << compiled << " of "
              << count << " compiled, all equal\n";
  EXPECT_GT(compiled * 10, count * 9) << "too few of them compile";
  EXPECT_EQ(needed_values, 0u) << "in, out and counters are apart";
}
INSTANTIATE_TEST_SUITE_P(Groups, RandomKernels, ::testing::Range<uint64_t>(0, kGroups));

// What the kernels are for must be in them.
TEST(RandomKernelText, HoldsEveryKindOfStatement) {
  std::string all;
  for (uint64_t seed = 1; seed <= 2000; ++seed)
    all += RandomKernel(seed, static_cast<int>(4 + seed % 30)).text();
  for (const char* wanted : {"shfl.sync.bfly",
                             "vote.sync",
                             "red.global.add",
                             "red.shared.add",
                             "atom.shared.cas",
                             "atom.global.exch",
                             "st.local.u8",
                             "ld.shared.s16",
                             "st.u64",
                             "bar.sync",
                             "call.uni (w), f0",
                             "call (w), f1",
                             "brx.idx",
                             "ld.global.v4",
                             "mul.wide.s32",
                             "fma.rn.f64",
                             "add.u16",
                             "lop3.b32",
                             "ld.global.u8",
                             "cp.async.ca",
                             "cp.async.wait_group 1",
                             "ldmatrix.sync.aligned.m8n8.x4.trans",
                             "mma.sync",
                             "ex2.approx.ftz",
                             "fma.rm.f32",
                             "bfe.s64",
                             "rem.s32",
                             "redux.sync",
                             "addc.cc.u32",
                             "mad.hi.cc.s32",
                             "atom.shared.dec.u32",
                             "cvt.f32.bf16",
                             "mov.b32 {%h0",
                             "ld.const.u64",
                             "st.shared.v4.u8",
                             "red.shared.xor.b32 [%e2",
                             "mul.wide.u32 %ed0, %e0",
                             "add.s32 %e2, %e2, -4;",
                             "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%e4, %e5}, [%e0+-"})
    EXPECT_NE(all.find(wanted), std::string::npos) << wanted;
}

}  // namespace
}  // namespace warpledger::exec
