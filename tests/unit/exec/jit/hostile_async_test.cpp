// Kernels that try to leave their memory through asynchronous copies, tensor maps, clusters and
// tensor memory. Each kernel runs in one of the engines, which must fault, or stay inside.
#include "tests/unit/exec/jit/hostile_async.h"

#include <iostream>
#include <map>

#include "tests/unit/exec/jit/both.h"
#include "tests/unit/exec/jit/cage.h"
#include "tests/unit/exec/jit/fence.h"
#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/exec/decode/tensor_map.h"

namespace warpledger::exec {
namespace {

#ifdef WL_SANITIZED
constexpr uint64_t kKernels = 60;
constexpr int kAttempts = 10;
#else
constexpr uint64_t kKernels = 60;
constexpr int kAttempts = 100;
#endif

/// A map that check() may pass, of memory that may not be there.
TensorMapBytes hostile_map(testing::Rng& rng, const Cage& cage) {
  const auto some = [&](std::vector<uint64_t> usual, std::vector<uint64_t> hostile) {
    return rng.pick(rng.between(0, 3) == 0 ? hostile : usual);
  };
  TensorMap map{.element = static_cast<TensorElement>(rng.between(0, 15)),
                .rank = static_cast<uint32_t>(rng.between(1, 5)),
                .address = cage.address() + (rng.coin() ? 0 : cage.far_away(rng))};
  for (size_t d = 0; d < kMostDimensions; ++d) {
    map.size[d] = some({1, 4, 16, 128}, {0, 63, uint64_t{1} << 32, ~uint64_t{0}});
    map.box[d] = static_cast<uint32_t>(some({1, 2, 16, 128}, {0, 255, 256, 1u << 31}));
    map.element_stride[d] = static_cast<uint32_t>(some({1, 1, 1, 2}, {0, 7, 8, 9}));
    if (d > 0) map.stride[d - 1] = some({0, 16, 64, 128}, {8, uint64_t{1} << 39, uint64_t(-16)});
  }
  map.swizzle = static_cast<SharedMode>(rng.between(0, 4));
  map.fills_nan = rng.coin();
  TensorMapBytes bytes = encode_unchecked(map);
  for (int64_t flips = rng.between(0, 5) == 0 ? rng.between(1, 4) : 0; flips > 0; --flips)
    bytes[static_cast<size_t>(rng.between(4, 127))] = static_cast<std::byte>(rng.bits());
  return bytes;
}

class AsyncAttack {
 public:
  explicit AsyncAttack(uint64_t seed)
      : seed_(seed), rng_(seed * 7919, 20), kernel_(seed), machine_(kernel_.text()) {
    goes_on_ = rng_.between(0, 3) == 0;
    threads_ = rng_.between(0, 3) == 0 ? 128 : 32;
    compiles_ = can_compile() && rng_.coin();
    records_ = rng_.coin();
  }
  [[nodiscard]] bool is_loaded() const { return machine_.is_loaded(); }

  void run(std::map<std::string, uint64_t>& codes) {
    const uint64_t map = machine_.put(std::vector<std::byte>(kTensorMapBytes), "map");
    Cage cage(machine_.memory());
    if (compiles_) ++codes[attempt(cage, map)];
    const Fence fence(1000);
    for (int i = compiles_ ? 1 : 0; i < kAttempts && !::testing::Test::HasFailure(); ++i)
      ++codes[attempt(cage, map)];
  }

 private:
  /// A size; or a matrix descriptor of this block's shared memory, or almost.
  uint64_t size_or_descriptor() {
    static const std::vector<uint64_t> kAll = {
        16,
        16,
        64,
        1008,
        1024,
        2048,
        0,
        17,
        1 << 20,
        0xfffffff0,
        0x7ffffff0,
        uint64_t{1} << 46 | uint64_t{1} << 32,
        uint64_t{1} << 62 | uint64_t{4} << 32,
        uint64_t{2} << 61 | uint64_t{1} << 46 | uint64_t{64} << 32 | 0x10,
        0x8100490};
    return rng_.between(0, 4) == 0 ? rng_.bits() : rng_.pick(kAll);
  }
  uint64_t rank_or_place(const Cage& cage) {
    static const std::vector<uint64_t> kAll = {0, 1, 2, 0xffffffff, 0x80000000, 0x7fffffff, 16, 3};
    return rng_.between(0, 3) == 0 ? cage.far_away(rng_) : rng_.pick(kAll);
  }
  /// As an address of tensor memory, too: lane << 16 | column.
  uint64_t start(const Cage& cage) {
    if (rng_.coin()) return 0;
    if (rng_.coin()) return cage.far_away(rng_);
    return static_cast<uint64_t>(rng_.between(0, 160)) << 16 |
           static_cast<uint64_t>(rng_.between(0, 600));
  }

  std::string attempt(const Cage& cage, uint64_t map) {
    const TensorMapBytes bytes = hostile_map(rng_, cage);
    std::memcpy(machine_.memory().find(map, kTensorMapBytes), bytes.data(), bytes.size());
    const uint64_t from = start(cage), step = rng_.coin() ? 16 : cage.far_away(rng_);
    const Launch launch{.kernel = "k",
                        .grid = {kernel_.cluster(), 1, 1},
                        .block = {threads_, 1, 1},
                        .cluster = {kernel_.cluster(), 1, 1},
                        .params = TestMachine::pack(cage.address(), from, step,
                                                    static_cast<uint64_t>(rng_.between(1, 3)), map,
                                                    size_or_descriptor(), rank_or_place(cage))};
    const std::string code = observed(launch);
    const auto what = [&] {
      return fmt::format("WL_SEED={} from {:#x} step {:#x} threads {}\n{}", seed_, from, step,
                         threads_, kernel_.text());
    };
    EXPECT_TRUE(cage.is_whole()) << "the bytes behind the buffer\n" << what();
    EXPECT_EQ(secret, kSecret) << what();
    return code;
  }

  std::string observed(const Launch& launch) {
    BadAccesses noted;
    Limits limits{.warp_instructions = 20'000};
    if (goes_on_) limits.bad_accesses = &noted;
    if (compiles_) {
      const EngineOptions options{.record = records_, .count = true, .limits = limits};
      return code_of(
          jit::Engine::create(machine_.image(), launch, jit::shared_code_cache({}), options),
          kernel_.cluster());
    }
    if (rng_.between(0, 9) == 0)
      return run_address_only(machine_.image(), launch, limits, kernel_.cluster()).code;
    return code_of(reference::Engine::create(machine_.image(), launch, limits), kernel_.cluster());
  }

  uint64_t seed_;
  testing::Rng rng_;
  uint32_t threads_ = 32;
  bool goes_on_ = false;
  bool compiles_ = false, records_ = false;
  HostileAsyncKernel kernel_;
  TestMachine machine_;
};

TEST(HostileAsyncKernels, TouchNothingThatIsNotTheirs) {
  Seeds seeds(kKernels);
  const EscapeWatch watch;
  std::map<std::string, uint64_t> codes;
  for (uint64_t seed = 0; !HasFailure() && seeds.take(seed);) {
    AsyncAttack attack(seed);
    EXPECT_TRUE(attack.is_loaded()) << HostileAsyncKernel(seed).text();
    attack.run(codes);
  }
  const uint64_t launches = seeds.count() * kAttempts;
  if (!seeds.is_one()) {
    EXPECT_GT(codes[""], launches / 50) << "too few run";
    EXPECT_LT(codes["unsupported-opcode"], launches / 4) << "too few are understood";
  }
  if (!seeds.is_long()) return;
  std::cout << fmt::format("{} hostile asynchronous kernels, {} launches, {:.0f} a second\n",
                           seeds.count(), launches,
                           static_cast<double>(launches) / seeds.seconds());
  for (const auto& [code, count] : codes)
    std::cout << fmt::format("  {} {}\n", count, code.empty() ? "ran to the end" : code);
}

}  // namespace
}  // namespace warpledger::exec
