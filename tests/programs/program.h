// CUDA programs of our own, compiled by nvcc and run by the interpreter.
//
//   Program p("basic.cu", "vector_add");
//   auto x = p.random<float>(1000), out = p.zeros<float>(1000);
//   p.launch(4, 256, x, out, 1000);
//   p.expect(out, [&](size_t i) { return 2 * x[i]; });
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>

#include "tests/support/source.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/base/file.h"
#include "warpledger/base/hash.h"
#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/exec/numeric/convert.h"
#include "warpledger/race/watch.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/temporary_folder.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec {

/// What nvcc makes of a file; "" without nvcc.
inline std::string compile(const std::string& path, const std::string& arch) {
  const auto nvcc = toolchain::find_tool("nvcc");
  const auto folder = toolchain::TemporaryFolder::create();
  if (!nvcc || !folder) return {};
  const std::string out = folder->file("program.ptx");
  const auto done =
      toolchain::run_tool({*nvcc, "-ptx", "-lineinfo", "-arch=" + arch, "-o", out, path});
  if (done) return read_file(out).value();
  ADD_FAILURE() << to_text(done.error());
  return {};
}

/// What the PTX is made of: the file, and the headers beside it.
inline std::string source_of(const std::filesystem::path& path) {
  std::string text = read_file(path).value();
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    if (entry.path().extension() == ".cuh") text += read_file(entry.path()).value();
  }
  return text;
}

/// The same, kept in the folder $WL_TEST_CACHE: each test is a process of its own.
inline std::string compiled_on_disk(const std::string& path, const std::string& arch) {
  const char* folder = std::getenv("WL_TEST_CACHE");
  if (folder == nullptr) return compile(path, arch);
  const std::string kept = std::string(folder) + "/" + sha256(source_of(path) + arch) + ".ptx";
  if (const auto ptx = read_file(kept)) return *ptx;
  std::string ptx = compile(path, arch);
  std::filesystem::create_directories(folder);
  if (!ptx.empty()) {
    EXPECT_TRUE(write_file(kept, ptx));
  }
  return ptx;
}

/// The PTX of a file of this folder, compiled once.
inline const std::string& compiled(const std::string& file, const std::string& arch) {
  static std::map<std::string, std::string> cache;
  const auto [entry, fresh] = cache.try_emplace(file + arch);
  if (fresh) entry->second = compiled_on_disk(test::source_path("tests/programs/") + file, arch);
  return entry->second;
}

/// What files are compiled for where a test does not say: where machine code is compared that has
/// other tensor cores than sm_80, its own architecture.
inline std::string usual_arch() {
#ifdef WL_TEST_MACHINE
  const std::string arch = machine::compared_arch();
  if (arch == "sm_90" || arch == "sm_100" || arch == "sm_120") return arch;
#endif
  return "sm_80";
}

/// A buffer: what it held before the launch, and where it is.
template <class T>
struct Buffer {
  std::vector<T> before;
  uint64_t address = 0;
  const T& operator[](size_t i) const { return before[i]; }
  [[nodiscard]] size_t size() const { return before.size(); }
};

class Program {
 public:
  Program(const std::string& file, std::string kernel, const std::string& arch = usual_arch())
      : machine_(compiled(file, arch), file + ".ptx"), kernel_(std::move(kernel)) {}

  template <class T>
  Buffer<T> buffer(std::vector<T> values) {
    const uint64_t address = machine_.put(values, "buffer " + std::to_string(++buffers_));
    return {std::move(values), address};
  }
  template <class T>
  Buffer<T> zeros(size_t n) {
    return buffer(std::vector<T>(n));
  }
  /// Floats in [0, 1), integers in [0, below).
  template <class T>
  Buffer<T> random(size_t n, uint64_t below = 100) {
    std::vector<T> values(n);
    for (T& value : values) {
      if constexpr (std::is_floating_point_v<T>)
        value = static_cast<T>(static_cast<double>(random_() >> 40) / (1 << 24));
      else
        value = static_cast<T>(random_() % below);
    }
    return buffer(std::move(values));
  }

  template <class... A>
  std::string run(Extent grid, Extent block, uint32_t shared, const A&... arguments) {
    const Launch launch{.kernel = kernel_,
                        .grid = grid,
                        .block = block,
                        .dynamic_shared_bytes = shared,
                        .params = TestMachine::pack(value_of(arguments)...)};
    expect_no_races(launch);
    return machine_.run(launch, 32);
  }
  template <class... A>
  void launch(Extent grid, Extent block, const A&... arguments) {
    EXPECT_EQ(run(grid, block, 0, arguments...), "");
  }
  template <class... A>
  void launch(uint32_t grid, uint32_t block, const A&... arguments) {
    launch(Extent{grid, 1, 1}, Extent{block, 1, 1}, arguments...);
  }

  template <class T>
  std::vector<T> after(const Buffer<T>& buffer) {
    return machine_.get<T>(buffer.address, buffer.size());
  }
  template <class T, class F>
  void expect(const Buffer<T>& buffer, F expected, double tolerance = 0) {
    const std::vector<T> got = after(buffer);
    for (size_t i = 0; i < got.size(); ++i) {
      const auto want = static_cast<T>(expected(i));
      if (tolerance == 0)
        ASSERT_EQ(got[i], want) << "element " << i;
      else
        ASSERT_LE(std::fabs(static_cast<double>(got[i]) - static_cast<double>(want)),
                  tolerance * std::fmax(1.0, std::fabs(static_cast<double>(want))))
            << "element " << i << ": " << +got[i] << " " << +want;
    }
  }
  TestMachine& machine() { return machine_; }

 private:
  /// The programs are right on any GPU: whatever is reported is a false alarm. Faults are run()'s.
  void expect_no_races(const Launch& launch) {
    const MemorySnapshot before(machine_.memory());
    auto engine = reference::Engine::create(machine_.image(), launch, machine_.limits);
    if (!engine || has_mbarriers((*engine)->program())) return;  // docs/races.md: not checked
    race::Watch watch(**engine, {.global = true});
    trace::NoSink sink;
    if (trace::run_all(watch, sink, 32)) {
      EXPECT_EQ(watch.report().races.size(), 0u) << kernel_;
    }
    before.restore();
  }

  static bool has_mbarriers(const reference::Program& program) {
    for (const auto& code : program.codes)
      for (const reference::Step& step : code->steps)
        if (step.spelling().opcode().memory == ptx::MemoryKind::kBarrierObject) return true;
    return false;
  }

  template <class T>
  static const T& value_of(const T& value) {
    return value;
  }
  template <class T>
  static uint64_t value_of(const Buffer<T>& buffer) {
    return buffer.address;
  }

  TestMachine machine_;
  std::string kernel_;
  int buffers_ = 0;
  std::mt19937_64 random_{20261115};
};

inline uint16_t half_bits(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>(numeric::convert(numeric::kF16, numeric::kF64, bits));
}
inline double half_value(uint16_t half) {
  const uint64_t bits = numeric::convert(numeric::kF64, numeric::kF16, half);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace warpledger::exec
