"""Kernels that are compiled first: CUDA source, CuPy's RawKernel, Triton's JITFunction."""
import numpy as np
import pytest

import warpledger as wl

SAXPY = """
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


def saxpy_arguments():
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, dtype=np.float32)
    return {"a": 2.0, "x": x, "y": y, "n": 1000}


def check(result, args):
    np.testing.assert_array_equal(args["y"], 2 * args["x"] + 1)
    assert result["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"].value == 1000 * 4 // 32


def test_cuda_source(nvcc):
    args = saxpy_arguments()
    result = wl.profile(SAXPY, 4, args, block=256, gpu="rtx3090", values=True)
    check(result, args)
    assert any(row["line"].startswith("kernel.cu:") for row in result.lines.records() if row.get("line"))


def test_a_cuda_file(nvcc, tmp_path):
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    args = saxpy_arguments()
    check(wl.profile(tmp_path / "saxpy.cu", 4, args, block=256, gpu="rtx3090", values=True), args)


def test_what_nvcc_refuses_is_an_error(nvcc):
    with pytest.raises(wl.Error, match="expected"):
        wl.profile("__global__ void k( {", 1, (), block=1, gpu="rtx3090")


def test_cupy_raw_kernel(nvcc):
    cupy = pytest.importorskip("cupy")
    args = saxpy_arguments()
    check(wl.profile(cupy.RawKernel(SAXPY, "saxpy"), 4, args, block=256, gpu="rtx3090", values=True), args)


def test_an_object_with_code_and_name_is_taken_as_cupy_writes_it(nvcc):
    class RawKernel:
        code, name, options = SAXPY, "saxpy", ("-DUNUSED=1",)

    args = saxpy_arguments()
    check(wl.profile(RawKernel(), 4, args, block=256, gpu="rtx3090", values=True), args)


def test_triton(tmp_path, monkeypatch):
    triton = pytest.importorskip("triton")
    import triton_kernels
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    n = 5008  # a multiple of 16: Triton makes vector accesses
    x, y, out = np.arange(n, dtype=np.float32), np.ones(n, dtype=np.float32), np.zeros(n, dtype=np.float32)
    result = wl.profile(triton_kernels.add, lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),), (x, y, out, n),
                        constants={"BLOCK": 1024}, options={"num_warps": 4}, gpu="a100", values=True, sass=False)
    np.testing.assert_array_equal(out, x + y)
    assert (result.grid, result.block) == ((5, 1, 1), (128, 1, 1))
    assert result["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"].value == n * 4 // 32


def test_triton_says_which_argument_is_missing():
    pytest.importorskip("triton")
    import triton_kernels
    with pytest.raises(wl.Error) as fault:
        wl.profile(triton_kernels.add, 1, (1,), gpu="a100")
    assert fault.value.code == "bad-argument"
