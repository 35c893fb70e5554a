// ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store: which register holds what.
#include <fmt/core.h>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/semantics/spellings.h"
#include "warpledger/exec/semantics/matrix.h"

namespace warpledger::exec {
namespace {

std::string registers(const std::string& prefix, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + prefix + std::to_string(i);
  return text + "}";
}

/// Declares `tile`, puts the first 2048 bytes of the buffer %rd0 there.
std::string copy_to_tile() {
  return ".shared .align 32 .b8 tile[4096]; ld.param.u64 %rd0, [p0]; mov.u32 %r38, %laneid; "
         "shl.b32 "
         "%r38, %r38, 2;\n"
         "IN: cvt.u64.u32 %rd3, %r38; add.s64 %rd4, %rd0, %rd3; mov.u64 %rd5, tile; add.s64 %rd5, "
         "%rd5, %rd3; ld.global.u32 %r39, [%rd4]; st.shared.u32 [%rd5], %r39; add.u32 %r38, %r38, "
         "128; setp.lt.u32 %p0, %r38, 2048; @%p0 bra IN;\nbar.warp.sync -1;\n";
}
std::vector<uint8_t> any_bytes() {
  std::vector<uint8_t> bytes(8192);
  for (size_t i = 0; i < 2048; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return bytes;
}

/// A fragment of c loaded, and stored as d in the upper half of the memory it came from.
void check_transfer(const std::string& load, const std::string& store) {
  ptx::SpellingFault fault;
  const auto s = ptx::decode_spelling(load, fault);
  ASSERT_TRUE(s && ptx::decode_spelling(store, fault)) << load << " " << store;
  const auto plan = plan_transfer(*s, 80);
  ASSERT_TRUE(plan) << load << ": " << plan.error().message;
  const int bits = plan->map.element_bits;
  const std::string list = registers(bits == 64 ? "%rd1" : "%r", plan->map.registers());
  const bool shared = s->space() == ptx::Space::kShared;
  std::string body = ".reg .pred %p<2>; .reg .b32 %r<40>; .reg .b64 %rd<64>;\n" + copy_to_tile();
  body += load + " " + list + ", " + (shared ? "[tile];\n" : "[%rd0];\n");
  body += store + " " + (shared ? "[tile+2048]" : "[%rd0+2048]") + ", " + list + ";\n";
  if (shared) {
    body +=
        "bar.warp.sync -1; mov.u32 %r38, %laneid; shl.b32 %r38, %r38, 2;\nOUT: cvt.u64.u32 %rd3, "
        "%r38; add.s64 %rd4, %rd0, %rd3; mov.u64 %rd5, "
        "tile; add.s64 %rd5, %rd5, %rd3; ld.shared.u32 %r39, [%rd5+2048]; st.global.u32 "
        "[%rd4+2048], %r39; add.u32 %r38, %r38, 128; setp.lt.u32 %p0, %r38, 2048; @%p0 bra OUT;\n";
  }
  TestMachine machine(kernel_text(body + "ret;", 1, "sm_80", "8.4"));
  const std::vector<uint8_t> bytes = any_bytes();
  const uint64_t buffer = machine.put(bytes);
  ASSERT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(buffer)}),
            "")
      << load;
  const auto got = machine.get<uint8_t>(buffer, 4096);
  const size_t size = static_cast<size_t>(plan->map.size() * bits) / 8;
  for (size_t i = 0; i < size; ++i) ASSERT_EQ(got[2048 + i], bytes[i]) << load << " byte " << i;
}

TEST(Matrix, FragmentsLoadedAndStoredAreTheSame) {
  for (const char* shape :
       {"m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"}) {
    for (const char* type : {"f16", "f32", "f64", "s32"}) {
      for (const char* layout : {"row", "col"}) {
        for (const char* space : {"", ".global", ".shared"}) {
          const std::string rest =
              std::string(".sync.aligned.") + layout + "." + shape + space + "." + type;
          ptx::SpellingFault fault;
          const auto s = ptx::decode_spelling("wmma.load.c" + rest, fault);
          if (!s || !plan_transfer(*s, 80)) continue;  // a shape that the type does not have
          check_transfer("wmma.load.c" + rest, "wmma.store.d" + rest);
        }
      }
    }
  }
}

/// The fragment's registers, reassembled, equal the matrix in memory.
void check_load(const std::string& text, const MatrixTransfer& plan, const ptx::Spelling& s) {
  const int bits = plan.map.element_bits, count = plan.map.registers();
  const int word = bits == 64 ? 8 : 4;
  const bool shared = s.space() == ptx::Space::kShared;
  std::string body = ".reg .pred %p<2>; .reg .b32 %r<40>; .reg .b64 %rd<64>;\n" + copy_to_tile();
  body += text + " " + registers(word == 8 ? "%rd1" : "%r", count) + ", " +
          (shared ? "[tile];\n" : "[%rd0];\n") +
          fmt::format("mov.u32 %r38, %laneid; mad.wide.u32 %rd2, %r38, {}, %rd0;\n", count * word);
  for (int i = 0; i < count; ++i)
    body += fmt::format("st.global.b{} [%rd2+{}], {}{};\n", 8 * word, 2048 + i * word,
                        word == 8 ? "%rd1" : "%r", i);
  TestMachine machine(kernel_text(body + "ret;", 1, "sm_80", "8.4"));
  const std::vector<uint8_t> bytes = any_bytes();
  const uint64_t buffer = machine.put(bytes);
  ASSERT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(buffer)}),
            "")
      << text;
  const auto got = machine.get<uint8_t>(buffer, bytes.size());
  MatrixRegisters loaded(static_cast<size_t>(count), PerLane<uint64_t>{});
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < static_cast<size_t>(count); ++i)
      std::memcpy(&loaded[i][lane],
                  &got[2048 + (lane * static_cast<size_t>(count) + i) * static_cast<size_t>(word)],
                  static_cast<size_t>(word));
  }
  const auto matrix = gather_matrix(plan.map, loaded);
  for (int row = 0; row < plan.map.rows; ++row) {
    for (int col = 0; col < plan.map.cols; ++col) {
      const int at =
          (plan.column_major ? col * plan.map.rows + row : row * plan.map.cols + col) * bits;
      uint64_t want = 0;
      std::memcpy(&want, &bytes[static_cast<size_t>(at / 8)], 8);
      want = want >> at % 8 & (bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
      ASSERT_EQ(matrix[static_cast<size_t>(row * plan.map.cols + col)], want)
          << text << " at " << row << ", " << col;
    }
  }
}

TEST(Matrix, EveryLoadOfAFragment) {
  int count = 0;
  for (const char* operand : {"a", "b", "c"}) {
    for (const char* shape :
         {"m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"}) {
      for (const char* type :
           {"f16", "bf16", "tf32", "f32", "f64", "s32", "s8", "u8", "s4", "u4", "b1"}) {
        for (const char* layout : {"row", "col"}) {
          for (const char* space : {"", ".global", ".shared"}) {
            const std::string text = fmt::format("wmma.load.{}.sync.aligned.{}.{}{}.{}", operand,
                                                 layout, shape, space, type);
            ptx::SpellingFault fault;
            const auto s = ptx::decode_spelling(text, fault);
            if (!s) continue;
            const auto plan = plan_transfer(*s, 80);
            if (!plan) continue;  // a shape that the type does not have
            check_load(text, *plan, *s);
            ++count;
            ASSERT_FALSE(HasFatalFailure()) << text;
          }
        }
      }
    }
  }
  EXPECT_GT(count, 150);
}

// By hand: matrix m of ldmatrix holds 100 m + 8 row + column; lane l gets (l / 4, 2 (l % 4) + h),
// or turned.
constexpr const char* kTiles = R"(
  .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .b64 %rd<8>;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %rd0, [p0];
  mov.u32 %r0, %laneid;
  mov.u32 %r1, tile;
  shr.u32 %r2, %r0, 3; and.b32 %r3, %r0, 7;
  mul.lo.u32 %r4, %r2, 100; mad.lo.u32 %r4, %r3, 8, %r4;
  shl.b32 %r5, %r0, 4; add.u32 %r5, %r5, %r1;
  mov.u32 %r6, 0;
FILL:
  cvt.u16.u32 %h0, %r4; st.shared.u16 [%r5], %h0;
  add.u32 %r4, %r4, 1; add.u32 %r5, %r5, 2; add.u32 %r6, %r6, 1;
  setp.lt.u32 %p0, %r6, 8;
  @%p0 bra FILL;
  bar.warp.sync 0xffffffff;
  shl.b32 %r7, %r0, 4; add.u32 %r7, %r7, %r1;
  mul.wide.u32 %rd1, %r0, 16; add.s64 %rd2, %rd0, %rd1;
)";

std::vector<uint32_t> run_tiles(const std::string& rest, size_t words) {
  TestMachine machine(
      kernel_text(".reg .pred %p<2>;\n" + std::string(kTiles) + rest, 1, "sm_90", "8.6"));
  const uint64_t out = machine.put(std::vector<uint32_t>(words));
  EXPECT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out)}),
            "");
  return machine.get<uint32_t>(out, words);
}

TEST(Matrix, LdmatrixGivesRowsToQuads) {
  const auto out = run_tiles(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8,%r9,%r10,%r11}, [%r7]; st.global.v4.b32 "
      "[%rd2], {%r8,%r9,%r10,%r11}; ret;",
      128);
  for (uint32_t l = 0; l < 32; ++l) {
    for (uint32_t m = 0; m < 4; ++m) {
      const uint32_t low = 100 * m + 8 * (l / 4) + 2 * (l % 4);
      EXPECT_EQ(out[l * 4 + m], low | (low + 1) << 16);
    }
  }
}
TEST(Matrix, LdmatrixTransposes) {
  const auto out = run_tiles(
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r8,%r9}, [%r7]; st.global.v2.b32 [%rd2], "
      "{%r8,%r9}; ret;",
      128);
  for (uint32_t l = 0; l < 32; ++l) {
    const uint32_t low = 8 * (2 * (l % 4)) + l / 4;
    EXPECT_EQ(out[l * 4], low | (low + 8) << 16);
  }
}
// x1, x2, x4, turned or not, through the name or a generic address: what is stored is what was
// loaded, and a register that is loaded turned is movmatrix of the one that is not.
TEST(Matrix, EverySpellingOfTheMoves) {
  constexpr Op kMoves[] = {Op::kLdmatrix, Op::kStmatrix, Op::kMovmatrix};
  for (const std::string& text : spellings(kMoves)) {
    ptx::SpellingFault fault;
    const auto s = ptx::decode_spelling(text, fault);
    ASSERT_TRUE(s) << text;
    const int count = s->has(ptx::Modifier::kX4) ? 4 : s->has(ptx::Modifier::kX2) ? 2 : 1;
    const bool turned = s->has(ptx::Modifier::kTrans);
    const std::string at = s->space() == ptx::Space::kGeneric ? "[%rd4]" : "[%r7]";
    const std::string list = count == 4   ? "{%r8,%r9,%r10,%r11}"
                             : count == 2 ? "{%r8,%r9}"
                                          : "{%r8}";
    const std::string x = ".x" + std::to_string(count);
    const std::string plain = "ldmatrix.sync.aligned.m8n8" + x + ".shared.b16 " + list + ", [%r7];";
    std::string body = "cvt.u64.u32 %rd3, %r7; cvta.shared.u64 %rd4, %rd3;\n";
    if (s->op() == Op::kLdmatrix) body += text + " " + list + ", " + at + ";";
    if (s->op() == Op::kMovmatrix) body += plain + text + " %r8, %r8;";
    if (s->op() == Op::kStmatrix)  // stored and loaded again
      body += plain + "\nbar.warp.sync -1;" + text + " " + at + ", " + list +
              ";\nbar.warp.sync -1;" + plain;
    const auto out = run_tiles(body + "\nst.global.b32 [%rd2], %r8; ret;", 128);
    for (uint32_t l = 0; l < 32; ++l) {
      const uint32_t row = l / 4, col = 2 * (l % 4);
      const uint32_t low = turned ? 8 * col + row : 8 * row + col;
      EXPECT_EQ(out[l * 4], low | (low + (turned ? 8 : 1)) << 16) << text << " lane " << l;
    }
  }
}
TEST(Matrix, StmatrixUndoesLdmatrix) {
  const auto out = run_tiles(R"(ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8,%r9,%r10,%r11}, [%r7];
    bar.warp.sync 0xffffffff;
    stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r7], {%r8,%r9,%r10,%r11};
    bar.warp.sync 0xffffffff;
    ld.shared.v4.b32 {%r8,%r9,%r10,%r11}, [%r7];
    st.global.v4.b32 [%rd2], {%r8,%r9,%r10,%r11}; ret;)",
                             128);
  for (uint32_t l = 0; l < 32; ++l) {  // row l % 8 of matrix l / 8, turned: columns of the first
    for (uint32_t w = 0; w < 4; ++w) {
      const uint32_t low = 100 * (l / 8) + 8 * (2 * w) + l % 8;
      EXPECT_EQ(out[l * 4 + w], low | (low + 8) << 16);
    }
  }
}
TEST(Matrix, MovmatrixTransposesRegisters) {
  const auto out = run_tiles(R"(ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r7];
    movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r8;
    st.global.b32 [%rd2], %r9; ret;)",
                             128);
  for (uint32_t l = 0; l < 32; ++l) {
    const uint32_t low = 8 * (2 * (l % 4)) + l / 4;
    EXPECT_EQ(out[l * 4], low | (low + 8) << 16);
  }
}

}  // namespace
}  // namespace warpledger::exec
