// Machine code that keeps its PTX.
#include "interpose/embedded_ptx.h"

#include <gtest/gtest.h>

#include "interpose/module.h"
#include "tests/support/cubin.h"
#include "warpledger/exec/memory/device_memory.h"

namespace warpledger::cuda {
namespace {

using testing::cubin_of;

std::string text_for(const std::string& target) {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n.visible .entry k() { ret; }\n";
}

std::string cubin_for(const std::string& target) {
  return cubin_of({{".text.k", "code"}, {".nv_debug_ptx_txt", text_for(target)}});
}

FatbinEntry machine(const std::string& cubin, int architecture) {
  return {.kind = CodeKind::kMachine, .architecture = architecture, .payload = cubin};
}

TEST(EmbeddedPtx, TellsItsTarget) {
  const EmbeddedPtx kept = embedded_ptx(cubin_for("sm_90a"));
  EXPECT_EQ(kept.architecture, 90);
  EXPECT_EQ(kept.variant, 'a');
  EXPECT_EQ(kept.texts, std::vector{text_for("sm_90a")});
}

TEST(EmbeddedPtx, IsTakenFromTheHighestCodeThatTheTargetCanTake) {
  const std::string low = cubin_for("sm_80"), middle = cubin_for("sm_86"),
                    high = cubin_for("sm_90");
  const std::vector entries = {machine(low, 80), machine(high, 90), machine(middle, 86)};
  EXPECT_EQ(choose_embedded_ptx(entries, 89).texts, std::vector{text_for("sm_86")});
  EXPECT_TRUE(choose_embedded_ptx(entries, 75).texts.empty());
}

TEST(EmbeddedPtx, DamagedCodeKeepsNone) {
  EXPECT_TRUE(choose_embedded_ptx({machine("no ELF file at all", 80)}, 80).texts.empty());
  EXPECT_TRUE(
      choose_embedded_ptx({machine(cubin_of({{".text.k", "code"}}), 80)}, 80).texts.empty());
}

/// The kernel 'k' of a cubin that a program loads on `target`.
Result<Kernel*> kernel_of(Module& module, const std::string& cubin, int target) {
  exec::DeviceMemory memory;
  WL_TRY_STATUS(module.add_image(cubin.data()));
  WL_TRY_STATUS(module.load(target, memory));
  return module.kernel("k");
}

TEST(EmbeddedPtx, ACubinThatKeepsItsPtxIsAModule) {
  Module module("app");
  EXPECT_TRUE(kernel_of(module, cubin_for("sm_86"), 86).ok());
}

TEST(EmbeddedPtx, ACubinForANewerGpuIsRefusedByItsArchitecture) {
  Module module("app");
  const auto kernel = kernel_of(module, cubin_for("sm_90"), 80);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().message,
            "app has PTX for sm_90 only, which the profiled sm_80 cannot run");
}

}  // namespace
}  // namespace warpledger::cuda
