"""wl.profile: kernels of every kind, arguments of every kind, results and errors."""
import json
import pathlib
import pickle
import subprocess
import threading

import numpy as np
import pytest

import warpledger as wl


def test_metrics_have_value_unit_and_fidelity(matmul, square, launch):
    result = wl.profile(matmul, args=square, name="matmul_naive", **launch)
    loads = result["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
    # 64 x 64 threads in warps of 2 x 16 lanes, 64 steps: A is read at 2 addresses (2 sectors), B at 64 consecutive
    # bytes of one row for both halves (2 sectors).
    assert loads.value == 64 * 64 // 32 * 64 * (2 + 2)
    assert (loads.unit, loads.fidelity) == ("sector", "exact")
    assert result["dram__bytes_read.sum"].fidelity == "modeled"


def test_the_command_line_says_the_same(matmul, square, launch, tmp_path):
    result = wl.profile(matmul, args=square, name="matmul_naive", **launch)
    files = []
    for name in "ABC":
        np.save(tmp_path / name, square[name])
        files += ["--arg", f"{name}=f32[64x64]:@{tmp_path / name}.npy"]
    command = ["warpledger", "profile", str(matmul), "-k", "matmul_naive", "--gpu", "rtx3090", "--grid", "4,4",
               "--block", "16,16", "--regs", "40", "--no-sass", *files, *["--arg", "i32:64"] * 3, "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert said == result.to_dict()


def test_arrays_hold_the_result_when_values_are_on(matmul, square, launch):
    result = wl.profile(matmul, args=square, name="matmul_tiled", values=True, **launch)
    assert result.has_values
    np.testing.assert_allclose(square["C"], square["A"] @ square["B"], rtol=1e-4)


def test_arrays_stay_as_they_are_without_values(matmul, square, launch):
    result = wl.profile(matmul, args=square, name="matmul_tiled", **launch)
    assert not result.has_values
    assert not square["C"].any()


def test_counters_do_not_depend_on_values(matmul, square, launch):
    bare, full = (wl.profile(matmul, args=square, name="matmul_tiled", values=on, **launch) for on in (False, True))
    assert bare.metrics == full.metrics


def test_arrays_that_are_no_block_of_memory_are_read_and_written_in_row_order(matmul, square, launch):
    wide = np.zeros((64, 128), dtype=np.float32)
    square["A"] = np.asfortranarray(square["A"])
    square["C"] = wide[:, ::2]
    wl.profile(matmul, args=square, name="matmul_tiled", values=True, **launch)
    np.testing.assert_allclose(wide[:, ::2], square["A"] @ square["B"], rtol=1e-4)
    assert not wide[:, 1::2].any()


def test_an_array_that_cannot_be_written_stays_as_it_is(matmul, square, launch):
    square["C"].flags.writeable = False
    wl.profile(matmul, args=square, name="matmul_tiled", values=True, **launch)
    assert not square["C"].any()


SCALARS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .f32 x, .param .f64 y, .param .u32 n, .param .s64 m, .param .u8 b)
{
  .reg .b64 %rd<3>; .reg .f32 %f<2>; .reg .f64 %d<2>; .reg .b32 %r<3>; .reg .b16 %h<2>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.f32 %f1, [x];
  cvt.f64.f32 %d1, %f1;
  st.global.f64 [%rd1], %d1;
  ld.param.f64 %d1, [y];
  st.global.f64 [%rd1+8], %d1;
  ld.param.u32 %r1, [n];
  cvt.rn.f64.s32 %d1, %r1;
  st.global.f64 [%rd1+16], %d1;
  ld.param.s64 %rd2, [m];
  cvt.rn.f64.s64 %d1, %rd2;
  st.global.f64 [%rd1+24], %d1;
  ld.param.u8 %h1, [b];
  cvt.u32.u16 %r2, %h1;
  cvt.rn.f64.u32 %d1, %r2;
  st.global.f64 [%rd1+32], %d1;
  ret;
}
"""


def scalars(*args):
    out = np.zeros(5)
    wl.profile(SCALARS, 1, (out, *args), block=1, gpu="a100", sass=False, values=True)
    return out.tolist()


def test_python_numbers_take_the_type_of_the_parameter():
    assert scalars(1.5, 2.5, -3, -(2**40), True) == [1.5, 2.5, -3, -(2**40), 1]
    assert scalars(2, 3, 4, 5, False) == [2, 3, 4, 5, 0]


def test_numpy_scalars_are_passed_as_they_are():
    assert scalars(np.float32(1.5), np.float64(2.5), np.int32(-3), np.int64(7), np.uint8(9)) == [1.5, 2.5, -3, 7, 9]


@pytest.mark.parametrize("args, code", [((np.float64(1), 2.5, 3, 4, 5), "bad-argument"),
                                        ((1.5, 2.5, 2**40, 4, 5), "bad-argument"),
                                        ((1.5, 2.5, 3.5, 4, object()), "bad-argument"),
                                        ((1.5, 2.5, 3), "bad-launch")])
def test_arguments_that_do_not_fit_are_refused(args, code):
    with pytest.raises(wl.Error) as fault:
        scalars(*args)
    assert fault.value.code == code


def test_errors_say_code_message_hint_and_place():
    with pytest.raises(wl.Error) as fault:
        wl.profile("nonsense", 1, (), block=1, gpu="rtx3090", name="k")
    assert fault.value.where.startswith("kernel.ptx:1:")
    with pytest.raises(wl.Error) as fault:
        wl.profile(SCALARS, 1, (), block=1, gpu="rtx3099")
    assert fault.value.code == "unknown-gpu"
    assert fault.value.hint.startswith("did you mean 'rtx3090'?")
    assert "rtx3099" in str(fault.value) and "rtx3090" in str(fault.value)
    copy = pickle.loads(pickle.dumps(fault.value))
    assert (copy.code, str(copy)) == (fault.value.code, str(fault.value))


def test_a_fault_of_the_kernel_is_an_error(matmul, square, launch):
    square["B"] = square["B"][:8]
    with pytest.raises(wl.Error, match="past the end of 'B'"):
        wl.profile(matmul, args=square, name="matmul_naive", **launch)


def test_a_kernel_must_be_chosen_where_there_are_several(matmul, square, launch):
    with pytest.raises(wl.Error) as fault:
        wl.profile(matmul, args=square, **launch)
    assert fault.value.code == "unknown-kernel"


def test_what_is_no_kernel_is_refused(launch):
    with pytest.raises(wl.Error) as fault:
        wl.profile(42, args=(), **launch)
    assert fault.value.code == "bad-kernel"


def test_any_metric_of_ncu_is_answered(matmul, square, launch):
    result = wl.profile(matmul, args=square, name="matmul_naive", **launch)
    assert "lts__t_sectors.avg" not in result.metrics
    assert result["lts__t_sectors.avg"].value > 0
    with pytest.raises(wl.Error) as fault:
        result["lts__t_sektors.avg"]
    assert fault.value.code == "unknown-metric"


def test_a_metric_is_explained_by_its_counters_and_lines(matmul, square, launch):
    result = wl.profile(matmul, args=square, name="matmul_naive", **launch)
    explained, formula, counters, lines, instructions = result.explain("l1tex__t_sector_hit_rate.pct")
    assert next(explained.records())["value"] == result["l1tex__t_sector_hit_rate.pct"].value
    assert next(formula.records())["formula"] == "100 x l1tex__t_sectors_lookup_hit.sum / l1tex__t_sectors.sum"
    sectors = [row["sectors_of_all_accesses"] for row in instructions.records()]
    assert sum(sectors[:-1]) == sectors[-1]
    assert len(counters) == 2 and len(lines) >= 2


def test_results_pickle(matmul, square, launch):
    result = wl.profile(matmul, args=square, name="matmul_naive", **launch)
    assert pickle.loads(pickle.dumps(result)) == result


def test_pandas_holds_raw_values_and_fidelity(matmul, square, launch):
    pytest.importorskip("pandas")
    result = wl.profile(matmul, args=square, name="matmul_naive", **launch)
    frame = result.to_pandas()
    assert frame.loc["dram__bytes_read.sum", "value"] == result["dram__bytes_read.sum"].value
    assert frame.loc["dram__bytes_read.sum", "fidelity"] == "modeled"
    assert len(result.instructions.to_pandas()) == len(result.instructions)


def test_html_escapes_what_people_name(matmul, square, launch):
    square = {("<script>x</script>" if name == "A" else name): value for name, value in square.items()}
    result = wl.profile(matmul, args=square, name="matmul_naive", **launch)
    page = result._repr_html_() + "".join(table._repr_html_() for table in result.sections)
    assert "<script>" not in page
    assert "&lt;script&gt;" in result._repr_html_() + result.instructions._repr_html_()


def test_the_band_of_several_orders(matmul, square, launch):
    result = wl.profile(matmul, args=square, name="matmul_naive", band=True, **launch)
    assert len(result.to_dict()["other_orders"]) == 2


def test_threads_run_at_the_same_time_as_a_profile(matmul, launch):
    """The interpreter lock is released: a counting thread continues while a kernel runs."""
    side = 256
    args = (*(np.zeros((side, side), dtype=np.float32) for _ in range(3)), side, side, side)
    launch["grid"] = (side // 16, side // 16)
    ticks, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            ticks[0] += 1
            stop.wait(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    wl.profile(matmul, args=args, name="matmul_naive", engine="reference", **launch)
    stop.set()
    counter.join()
    assert ticks[0] > 5


def test_saved_profiles_are_compared_by_the_command(matmul, square, launch, tmp_path):
    for name in ("matmul_naive", "matmul_tiled"):
        wl.profile(matmul, args=square, name=name, **launch).save(tmp_path / f"{name}.json")
    command = ["warpledger", "compare", "matmul_naive.json", "matmul_tiled.json"]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert said.startswith("total bytes: ")


def test_the_compiler_is_found_in_the_package(matmul, square, launch):
    """libwarpledger_jit.so is beside the module; WARPLEDGER_PLUGINS is not set here."""
    beside = pathlib.Path(wl.__file__).with_name("libwarpledger_jit.so")
    if not beside.exists():
        pytest.skip("built without LLVM")
    assert wl.profile(matmul, args=square, name="matmul_naive", engine="jit", **launch).engine == "compiled"
