"""A user's tests of a kernel: a transposition of 32 x 32 tiles through shared memory."""
import numpy as np

TILE = 33  # words of a row: one more than there are banks

# What nvcc makes of a tile[32][TILE] transposition, by hand so that this project needs no compiler.
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry transpose(.param .u64 out, .param .u64 in)
{
  .reg .b32 %%r<10>; .reg .b64 %%rd<8>; .reg .f32 %%f<3>;
  .shared .align 4 .b8 tile[%(bytes)d];
  mov.u32 %%r1, %%tid.x;
  mov.u32 %%r2, %%tid.y;
  ld.param.u64 %%rd1, [in];
  ld.param.u64 %%rd2, [out];
  cvta.to.global.u64 %%rd1, %%rd1;
  cvta.to.global.u64 %%rd2, %%rd2;
  mad.lo.u32 %%r3, %%r2, 32, %%r1;
  mul.wide.u32 %%rd3, %%r3, 4;
  add.u64 %%rd4, %%rd1, %%rd3;
  ld.global.f32 %%f1, [%%rd4];
  mov.u32 %%r4, tile;
  mad.lo.u32 %%r5, %%r2, %(row)d, %%r4;
  mad.lo.u32 %%r5, %%r1, 4, %%r5;
  st.shared.f32 [%%r5], %%f1;
  bar.sync 0;
  mad.lo.u32 %%r6, %%r1, %(row)d, %%r4;
  mad.lo.u32 %%r6, %%r2, 4, %%r6;
  ld.shared.f32 %%f2, [%%r6];
  add.u64 %%rd5, %%rd2, %%rd3;
  st.global.f32 [%%rd5], %%f2;
  ret;
}
""" % {"bytes": 32 * TILE * 4, "row": TILE * 4}


def transpose(warpledger, **options):
    source = np.arange(32 * 32, dtype=np.float32).reshape(32, 32)
    out = np.zeros_like(source)
    result = warpledger.profile(PTX, 1, {"out": out, "in": source}, block=(32, 32), registers=16, sass=False,
                                **options)
    return source, out, result


def test_transposes(warpledger):
    source, out, _ = transpose(warpledger, values=True)
    np.testing.assert_array_equal(out, source.T)


def test_no_conflicts(warpledger):
    _, _, result = transpose(warpledger)
    warpledger.no_bank_conflicts(result)
    warpledger.at_most(result, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 32 * 32 * 4 // 32)


def test_bytes_stay_as_the_baseline_says(warpledger):
    _, _, result = transpose(warpledger)
    warpledger.baseline(result)
