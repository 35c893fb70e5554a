// Tensor memory of sm_100a: allocation, loads and stores of every shape, copies into it.
#include <cstdlib>

#include "tests/system/machine_toolkit/tensor_memory_kernels.h"
#include "warpledger/exec/machine/engine.h"

namespace warpledger::exec {
namespace {

struct Shape {
  std::string name;
  uint32_t registers, columns;  // of .x1: registers of a lane, columns
};

class TensorTransferShape : public ::testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, TensorTransferShape,
                         ::testing::Values(Shape{"32x32b", 1, 1}, Shape{"16x64b", 1, 2},
                                           Shape{"16x128b", 2, 4}, Shape{"16x256b", 4, 8},
                                           Shape{"16x32bx2", 1, 1}),
                         [](const auto& one) { return one.param.name; });

/// ".x4 ... {v0, ...}" both ways; the cells and what is loaded again go to `out`.
std::string transfer(const Shape& shape, uint32_t times, bool packed) {
  const uint32_t count = shape.registers * times;
  const uint32_t span = shape.columns * times * (packed ? 2 : 1);
  const bool is_split = shape.name == "16x32bx2", fits = (is_split ? 2 : 1) * span + 4 <= 512;
  const std::string split = is_split ? ", " + std::to_string(span) : "";
  const std::string at = fits ? "[w+4]" : "[w]", from = fits ? "[w+2]" : "[w]";
  const auto spelled = [&](const std::string& op, const std::string& pack) {
    return "tcgen05." + op + ".sync.aligned." + shape.name + ".x" + std::to_string(times) +
           (packed ? pack : "") + ".b32 ";
  };
  return fill_cells(0, 128) + fill_cells(128, 128, 3) + read_in("v", count) +
         spelled("st", ".unpack::16b") + at + split + ", " + registers("v", count) +
         ";\ntcgen05.wait::st.sync.aligned;\n" + show_cells(0, 128) + show_cells(128, 128) +
         spelled("ld", ".pack::16b") + registers("v", count) + ", " + from + split +
         ";\ntcgen05.wait::ld.sync.aligned;\n" + write_out("v", count);
}

/// All sizes where their spellings are kept (tools/nightly).
uint32_t size_step() { return std::getenv("WL_MACHINE_SPELLINGS") != nullptr ? 2 : 16; }

TEST_P(TensorTransferShape, MovesTheCellsOfItsPtx) {
  for (uint32_t times = 1; times * GetParam().registers <= 128; times *= size_step())
    expect_tensor_equal(transfer(GetParam(), times, false));
}

TEST_P(TensorTransferShape, PacksTheCellsOfItsPtx) {
  for (uint32_t times = 1; times * GetParam().registers <= 128; times *= size_step())
    expect_tensor_equal(transfer(GetParam(), times, true));
}

TEST(BlackwellMachine, AllocatesAndFreesColumns) {
  expect_equal(kernel_text(R"(
  .shared .align 4 .b32 place[4];
  .reg .pred p; .reg .b32 t, a, m, n, v<3>; .reg .b64 out, x;
  mov.u32 t, %tid.x;
  mov.u32 a, place;
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 4;
  add.u64 out, out, x;
  setp.lt.u32 p, t, 32;
  mov.u32 m, 64;
  @p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a], 128;
  @p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a+4], m;
  bar.sync 0;
  ld.shared.b32 v0, [a];
  ld.shared.b32 v1, [a+4];
  @p tcgen05.dealloc.cta_group::1.sync.aligned.b32 v0, 128;
  @p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a+8], 32;
  bar.sync 0;
  ld.shared.b32 v2, [a+8];
  st.global.b32 [out], v0;
  st.global.b32 [out+1024], v1;
  st.global.b32 [out+2048], v2;
  @p tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
  @p tcgen05.dealloc.cta_group::1.sync.aligned.b32 v1, m;
  @p tcgen05.dealloc.cta_group::1.sync.aligned.b32 v2, 32;
  ret;)",
                           2, "sm_100a", "8.6"),
               {.block = {64, 1, 1}}, 4096, kBlackwell);
}

// Three warps want half of the columns each: the last one gets them when another is done.
TEST(BlackwellMachine, WaitsForColumnsThatAreTaken) {
  expect_equal(kernel_text(R"(
  .shared .align 4 .b32 place[4];
  .reg .b32 t, a, v, w; .reg .b64 out, x;
  mov.u32 t, %tid.x;
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 4;
  add.u64 out, out, x;
  shr.u32 w, t, 5;
  shl.b32 a, w, 2;
  mov.u32 v, place;
  add.u32 a, a, v;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a], 256;
  ld.shared.b32 v, [a];
  shl.b32 w, w, 21;
  add.u32 w, w, v;
  tcgen05.st.sync.aligned.32x32b.x1.b32 [w], {t};
  tcgen05.wait::st.sync.aligned;
  tcgen05.ld.sync.aligned.32x32b.x1.b32 {a}, [w];
  tcgen05.wait::ld.sync.aligned;
  st.global.b32 [out], a;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 v, 256;
  ret;)",
                           2, "sm_100a", "8.6"),
               {.block = {96, 1, 1}}, 4096, kBlackwell);
}

class TensorCopyShape : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Shapes, TensorCopyShape,
                         ::testing::Values("128x256b", "128x128b", "32x128b.warpx4"));

TEST_P(TensorCopyShape, FillsTheCellsOfItsPtx) {
  expect_tensor_equal(fill_cells(0, 32) + "@first tcgen05.cp.cta_group::1." + GetParam() +
                      " [base+8], x;\n" + commit_and_wait() + show_cells(0, 32));
}

// What is not waited for is not there.
TEST(BlackwellMachine, CopiesOnlyWhenSomebodyWaits) {
  expect_tensor_equal(fill_cells(0, 32) +
                      "@first tcgen05.cp.cta_group::1.128x256b [base+64], x;\n" +
                      show_cells(0, 32) + commit_and_wait() + show_cells(64, 8));
}

/// As machine code alone: how the launch ends.
std::string end_of(const std::string& text) {
  TestMachine machine(text);
  const uint64_t in = machine.put(mild_words(kTensorWords)),
                 out = machine.put(mild_words(kTensorWords));
  const auto made = toolchain::run_ptxas(toolchain::find_tools("ptxas"), text, kBlackwell, {});
  if (!made) return to_text(made.error());
  auto engine = machine::Engine::create(
      machine.image(), {.kernel = "k", .block = {128, 1, 1}, .params = TestMachine::pack(in, out)},
      made->cubin, {}, true, machine::Spellings::kAll);
  if (!engine) return to_text(engine.error());
  trace::NoSink sink;
  const Status ran = trace::run_all(**engine, sink, 1);
  return ran ? "" : ran.error().code + ": " + ran.error().message;
}

TEST(BlackwellMachine, TellsOfCellsThatAreStillWritten) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  const std::string told =
      end_of(tensor_kernel("@first tcgen05.cp.cta_group::1.128x256b [base], x;\n" +
                           show_cells(0, 8) + commit_and_wait()));
  EXPECT_NE(told.find("tensor-work-in-flight: LDTM"), std::string::npos) << told;
  EXPECT_NE(told.find("UTCCP"), std::string::npos) << told;
}

TEST(BlackwellMachine, TellsOfColumnsThatAreNotFreed) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  std::string text = tensor_kernel(show_cells(0, 8));
  const size_t at = text.find("@lead tcgen05.dealloc");
  text.erase(at, text.find(';', at) + 1 - at);
  const std::string told = end_of(text);
  EXPECT_NE(told.find("tensor-memory-leak"), std::string::npos) << told;
}

TEST(BlackwellMachine, TellsOfLanesOfAnotherWarp) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  const std::string told = end_of(tensor_kernel("mov.u32 w, base;\n" + show_cells(0, 8)));
  EXPECT_NE(told.find("bad-tensor-lane"), std::string::npos) << told;
}

TEST(BlackwellMachine, RefusesACopyThatItDoesNotKnow) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  const std::string told = end_of(
      tensor_kernel("@first tcgen05.cp.cta_group::1.4x256b [base], x;\n" + commit_and_wait()));
  EXPECT_NE(told.find("unsupported-opcode: machine instruction 'UTCCP.T.S.4dp256bit"),
            std::string::npos)
      << told;
}

}  // namespace
}  // namespace warpledger::exec
