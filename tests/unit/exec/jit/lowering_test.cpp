// Which row of lowerings.def compiles which line of PTX.
#include "warpledger/exec/jit/analysis/lowering.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/unit/exec/interpreter/machine.h"

namespace warpledger::exec {
namespace {

struct RowName {
  const char* op;
  const char* emit;
};
constexpr RowName kRows[] = {
#define LOWERING(op, can_lower, emit) {#op, #emit},
#include "warpledger/exec/jit/analysis/lowerings.def"
#undef LOWERING
};

struct Case {
  const char* line;
  const char* emit;  // null: the interpreter's function executes it
};

// The first of the rows of an opcode that can, by type and modifiers.
constexpr Case kCases[] = {
    {"bra L;", "emit_nothing"},
    {"T: .branchtargets L;\nbrx.idx %r1, T;", "emit_nothing"},
    {"ret;", "emit_nothing"},
    {"exit;", "emit_nothing"},
    {"membar.gl;", "emit_nothing"},
    {"fence.sc.gpu;", "emit_nothing"},
    {"bar.sync 0;", "emit_barrier"},
    {"bar.sync %r1;", nullptr},
    {"ld.global.u32 %r1, [%rd1];", "emit_load"},
    {"st.shared.v2.f32 [%r1], {%f1, %f2};", "emit_store"},
    {"atom.global.add.u32 %r1, [%rd1], %r2;", nullptr},
    {"cp.async.ca.shared.global [%r1], [%rd1], 4;", "emit_copy"},
    {"cp.async.commit_group;", "emit_commit"},
    {"cp.async.wait_group 1;", "emit_wait"},
    {"cp.async.wait_all;", "emit_wait"},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];", "emit_matrix_move"},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r1};", "emit_matrix_move"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
     "{%f1,%f2,%f3,%f4};",
     "emit_mma"},
    {"activemask.b32 %r1;", "emit_activemask"},
    {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "emit_shfl"},
    {"vote.sync.ballot.b32 %r1, %p1, -1;", "emit_vote"},
    {"redux.sync.add.u32 %r1, %r2, -1;", "emit_redux"},
    {"bar.warp.sync -1;", "emit_meeting"},
    {"match.any.sync.b32 %r1, %r2, -1;", nullptr},
    {"mov.u32 %r1, %tid.x;", "emit_mov"},
    {"mov.u32 %r1, %clock;", nullptr},
    {"mov.b64 %rd1, {%r1, %r2};", "emit_pack"},
    {"cvta.to.global.u64 %rd1, %rd2;", "emit_cvta"},
    {"cvt.rn.f16x2.f32 %r1, %f1, %f2;", "emit_narrow"},
    {"cvt.f32.f16 %f1, %h1;", "emit_to_f32"},
    {"cvt.rni.f32.f32 %f1, %f2;", "emit_to_f32"},
    {"cvt.s64.s32 %rd1, %r1;", "emit_integer_to_integer"},
    {"cvt.rn.f32.u32 %f1, %r1;", "emit_integer_to_float"},
    {"cvt.rzi.s32.f32 %r1, %f1;", "emit_float_to_integer"},
    {"cvt.f64.f32 %d1, %f1;", "emit_float_to_float"},
    {"cvt.rna.tf32.f32 %r1, %f1;", nullptr},
    {"setp.lt.u32 %p1|%p2, %r1, %r2;", "emit_setp"},
    {"selp.f32 %f1, %f2, %f3, %p1;", "emit_selp"},
    {"add.u32 %r1, %r2, 1;", "emit_sum"},
    {"add.sat.s32 %r1, %r2, %r3;", nullptr},
    {"add.cc.u32 %r1, %r2, %r3;", "emit_carry"},
    {"addc.cc.u32 %r1, %r2, %r3;", "emit_carry"},
    {"add.f32 %f1, %f2, %f3;", "emit_float_add"},
    {"add.sat.f32 %f1, %f2, %f3;", nullptr},
    {"add.rz.f32 %f1, %f2, %f3;", "emit_directed"},
    {"add.f16 %h1, %h2, %h3;", "emit_packed"},
    {"add.ftz.f16x2 %r1, %r2, %r3;", nullptr},
    {"add.rz.f64 %d1, %d2, %d3;", nullptr},
    {"sub.u64 %rd1, %rd2, %rd3;", "emit_sum"},
    {"sub.cc.u64 %rd1, %rd2, %rd3;", "emit_carry"},
    {"subc.s32 %r1, %r2, %r3;", "emit_carry"},
    {"sub.f64 %d1, %d2, %d3;", "emit_float_sub"},
    {"sub.rm.f32 %f1, %f2, %f3;", "emit_directed"},
    {"sub.bf16x2 %r1, %r2, %r3;", "emit_packed"},
    {"mul.wide.u32 %rd1, %r2, 4;", "emit_product"},
    {"mul.hi.u32 %r1, %r2, %r3;", "emit_upper_product"},
    {"mul.hi.u64 %rd1, %rd2, %rd3;", "emit_upper_product"},
    {"mul.f32 %f1, %f2, %f3;", "emit_float_mul"},
    {"mul.rp.f32 %f1, %f2, %f3;", "emit_directed"},
    {"mul.f16x2 %r1, %r2, %r3;", "emit_packed"},
    {"mad.lo.s32 %r1, %r2, %r3, %r4;", "emit_product"},
    {"mad.hi.s32 %r1, %r2, %r3, %r4;", "emit_upper_product"},
    {"mad.lo.cc.u32 %r1, %r2, %r3, %r4;", "emit_carry"},
    {"madc.hi.u32 %r1, %r2, %r3, %r4;", "emit_carry"},
    {"mad.rn.f32 %f1, %f2, %f3, %f4;", "emit_float_fma"},
    {"fma.rn.f64 %d1, %d2, %d3, %d4;", "emit_float_fma"},
    {"fma.rz.f32 %f1, %f2, %f3, %f4;", "emit_directed"},
    {"fma.rn.bf16x2 %r1, %r2, %r3, %r4;", "emit_packed"},
    {"fma.rn.relu.f16 %h1, %h2, %h3, %h1;", nullptr},
    {"div.s32 %r1, %r2, %r3;", "emit_quotient"},
    {"div.u64 %rd1, %rd2, %rd3;", "emit_quotient"},
    {"div.full.f32 %f1, %f2, %f3;", "emit_float_div"},
    {"rem.u32 %r1, %r2, %r3;", "emit_remainder"},
    {"dp4a.u32.s32 %r1, %r2, %r3, %r4;", "emit_dot"},
    {"dp2a.lo.u32.u32 %r1, %r2, %r3, %r4;", "emit_dot"},
    {"rcp.approx.f32 %f1, %f2;", "emit_float_rcp"},
    {"sqrt.rn.f32 %f1, %f2;", "emit_float_sqrt"},
    {"min.s32 %r1, %r2, %r3;", "emit_min"},
    {"min.NaN.f32 %f1, %f2, %f3;", "emit_float_min"},
    {"max.u32 %r1, %r2, %r3;", "emit_max"},
    {"max.f64 %d1, %d2, %d3;", "emit_float_max"},
    {"max.f32 %f1, %f2, %f3, %f4;", "emit_float_max"},
    {"abs.s32 %r1, %r2;", "emit_abs"},
    {"abs.f32 %f1, %f2;", "emit_float_abs"},
    {"abs.f16 %h1, %h2;", "emit_packed_abs"},
    {"neg.s32 %r1, %r2;", "emit_neg"},
    {"neg.f64 %d1, %d2;", "emit_float_neg"},
    {"neg.bf16x2 %r1, %r2;", "emit_packed_neg"},
    {"ex2.approx.f32 %f1, %f2;", "emit_ex2"},
    {"lg2.approx.f32 %f1, %f2;", "emit_lg2"},
    {"sin.approx.f32 %f1, %f2;", "emit_sin"},
    {"cos.approx.f32 %f1, %f2;", "emit_cos"},
    {"tanh.approx.f32 %f1, %f2;", "emit_tanh"},
    {"rsqrt.approx.f32 %f1, %f2;", "emit_rsqrt"},
    {"popc.b32 %r1, %r2;", "emit_popc"},
    {"clz.b32 %r1, %r2;", "emit_clz"},
    {"brev.b32 %r1, %r2;", "emit_brev"},
    {"and.pred %p1, %p2, %p3;", "emit_and"},
    {"or.b32 %r1, %r2, %r3;", "emit_or"},
    {"xor.b64 %rd1, %rd2, %rd3;", "emit_xor"},
    {"not.b32 %r1, %r2;", "emit_not"},
    {"lop3.b32 %r1, %r2, %r3, %r4, 0x96;", "emit_lop3"},
    {"shl.b32 %r1, %r2, %r3;", "emit_shl"},
    {"shr.s32 %r1, %r2, %r3;", "emit_shr"},
    {"bfe.u32 %r1, %r2, %r3, %r4;", "emit_bfe"},
    {"bfi.b32 %r1, %r2, %r3, %r4, %r5;", "emit_bfi"},
    {"prmt.b32 %r1, %r2, %r3, 0x3210;", "emit_prmt"},
    {"prmt.b32 %r1, %r2, %r3, %r4;", nullptr},
    {"shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "emit_shf"},
};

/// The row of the first instruction of a kernel that begins with the line.
uint32_t row_of(const std::string& line) {
  TestMachine machine(
      kernel_text(".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
                  ".reg .f32 %f<5>; .reg .f64 %d<5>;\n" +
                      line + "\nL: ret;",
                  1, "sm_100", "8.8"));
  auto engine = reference::Engine::create(
      machine.image(), {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(0ull)}, {});
  EXPECT_TRUE(engine) << line << ": " << to_text(engine.error());
  return jit::find_lowering((*engine)->program().codes[0]->steps[0]);
}

TEST(Lowering, TheFirstRowThatCanCompilesTheStep) {
  for (const Case& one : kCases) {
    const uint32_t row = row_of(one.line);
    const std::string emit = row == jit::kNoLowering ? "" : kRows[row].emit;
    EXPECT_EQ(emit, one.emit == nullptr ? "" : one.emit) << one.line;
  }
}

TEST(Lowering, EveryRowCompilesSomeLineAbove) {
  std::set<uint32_t> reached;
  for (const Case& one : kCases) reached.insert(row_of(one.line));
  for (uint32_t row = 0; row < std::size(kRows); ++row)
    EXPECT_TRUE(reached.contains(row)) << kRows[row].op << ", " << kRows[row].emit;
}

}  // namespace
}  // namespace warpledger::exec
