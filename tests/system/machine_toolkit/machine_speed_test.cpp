// How fast machine code runs beside its PTX: matmuls of 128 cubed by the compiled engine, and as
// machine code of sm_86 compiled and interpreted; bare, and recording. One thread, processor time,
// the quickest of three runs. Only where $WL_MACHINE_SPEED is set.
#include <ctime>
#include <iostream>

#include "tests/support/machine/same.h"
#include "tests/support/source.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/base/file.h"
#include "warpledger/exec/machine/engine.h"
#include "warpledger/exec/translate/engine.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec {
namespace {

constexpr uint32_t kExtent = 128;

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// ns of a warp instruction of what runs.
template <class Open>
void tell(const char* name, int runs, Open open) {
  double least = 1e9;
  uint64_t instructions = 0;
  for (int i = 0; i < runs; ++i) {
    auto engine = open();
    ASSERT_TRUE(engine.ok()) << to_text(engine.error());
    trace::NoSink sink;
    const double begun = processor_seconds();
    const Status done = trace::run_all(**engine, sink, 4);
    least = std::min(least, processor_seconds() - begun);
    ASSERT_TRUE(done.ok()) << to_text(done.error());
    instructions = (*engine)->statistics().warp_instructions;
  }
  std::cout << name << ": " << least * 1e3 << " ms, " << instructions << " warp instructions, "
            << least * 1e9 / static_cast<double>(instructions) << " ns each\n";
}

class MachineSpeed : public ::testing::TestWithParam<const char*> {};

TEST_P(MachineSpeed, BesideThePtx) {
  if (std::getenv("WL_MACHINE_SPEED") == nullptr) GTEST_SKIP() << "WL_MACHINE_SPEED is not set";
  const auto text = read_file(test::source_path("tests/inputs/ptx/matmul.ptx"));
  ASSERT_TRUE(text.ok());
  const auto made = toolchain::run_ptxas(toolchain::find_tools("ptxas"), *text, "sm_86", {});
  ASSERT_TRUE(made.ok());
  TestMachine machine(*text, "matmul.ptx");
  std::vector<float> values(kExtent * kExtent);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 2654435761U % 1000) / 1000;
  const uint64_t a = machine.put(values, "a"), b = machine.put(values, "b"),
                 c = machine.put(values, "c");
  const std::string name = GetParam();
  const uint32_t tile = name == "matmul_register_tiled" ? 64 : 16;
  const Launch launch{.kernel = name,
                      .grid = {kExtent / tile, kExtent / tile, 1},
                      .block = {16, 16, 1},
                      .params = TestMachine::pack(a, b, c, kExtent, kExtent, kExtent)};
  jit::CodeCache cache;
  for (const bool record : {false, true}) {
    const EngineOptions options{.record = record, .count = true};
    const char* how = record ? " recording" : " bare";
    tell((name + how + ", PTX compiled").c_str(), 3,
         [&] { return jit::Engine::create(machine.image(), launch, cache, options); });
    tell((name + how + ", machine code compiled").c_str(), 3, [&] {
      return translate::Engine::create(machine.image(), launch, made->cubin, cache, options);
    });
    tell((name + how + ", machine code interpreted").c_str(), 1,
         [&] { return machine::Engine::create(machine.image(), launch, made->cubin, {}, record); });
  }
}

INSTANTIATE_TEST_SUITE_P(Matmuls, MachineSpeed,
                         ::testing::Values("matmul_naive", "matmul_tiled",
                                           "matmul_register_tiled"));

}  // namespace
}  // namespace warpledger::exec
