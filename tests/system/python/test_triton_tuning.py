"""Triton's autotuner with modeled times, on a machine without a GPU."""
import numpy as np
import pytest

import warpledger as wl

triton = pytest.importorskip("triton")
import triton.language as tl  # noqa: E402

from warpledger import triton as modeled_triton  # noqa: E402

GPU = "a100"
CONFIGS = [triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((32, 1), (256, 4), (1024, 4), (1024, 8))]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))


@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def arrays(n=1 << 16):
    return np.ones(n, dtype=np.float32), np.zeros(n, dtype=np.float32), n


def milliseconds(config, args):
    result = wl.profile(scale, grid, args, constants=config.kwargs, options={"num_warps": config.num_warps}, gpu=GPU)
    return float(result["gpu__time_duration.sum"]) / 1e6


def tuned(**how):
    return triton.autotune(CONFIGS, key=["n"], **how)(scale)


def test_a_performance_model_prunes_to_the_best_modeled_ones():
    kernel = tuned(prune_configs_by={"perf_model": modeled_triton.perf_model(gpu=GPU), "top_k": 2},
                   do_bench=modeled_triton.benchmarker(gpu=GPU))
    args = arrays()
    with modeled_triton.modeled(GPU):
        kernel[grid](*args)
    times = {str(config): milliseconds(config, args) for config in CONFIGS}
    best = sorted(times, key=times.get)[:2]
    assert sorted(map(str, kernel.configs_timings)) == sorted(best)
    assert times[str(kernel.best_config)] == min(times.values())


def test_a_benchmark_is_one_modeled_launch_and_leaves_arrays_alone():
    x, out, n = arrays()
    config = CONFIGS[2]
    calls = []

    def call():
        calls.append(1)
        scale[grid](x, out, n, BLOCK=1024, num_warps=4)

    bench = modeled_triton.benchmarker(gpu=GPU)
    assert bench(call) == pytest.approx(milliseconds(config, (x, out, n)))
    assert bench(call, quantiles=(0.5, 0.2, 0.8)) == [bench(call)] * 3
    assert len(calls) == 3 and not out.any()


def test_modeled_launches_are_profiles():
    args = arrays(4096)
    with modeled_triton.modeled(GPU) as launches:
        scale[grid](*args, BLOCK=256)
        scale[grid](*args, BLOCK=1024)
    assert [one.grid for one in launches.profiles] == [(16, 1, 1), (4, 1, 1)]
    assert launches.milliseconds > 0


def test_a_kernel_can_be_named():
    x, out, n = arrays(4096)
    model = modeled_triton.perf_model(gpu=GPU, kernel=scale)
    assert model(x_ptr=x, out_ptr=out, n=n, grid=grid, BLOCK=256, num_warps=4) > 0
    with pytest.raises(wl.Error, match="whose time"):
        modeled_triton.perf_model(gpu=GPU)(x_ptr=x, out_ptr=out, n=n, grid=grid, BLOCK=256)


def test_heuristics_are_heeded():
    kernel = triton.heuristics({"BLOCK": lambda args: 512})(scale)
    x, out, n = arrays(4096)
    model = modeled_triton.perf_model(gpu=GPU, kernel=kernel)
    direct = modeled_triton.perf_model(gpu=GPU, kernel=scale)
    assert model(x_ptr=x, out_ptr=out, n=n, grid=grid) == direct(x_ptr=x, out_ptr=out, n=n, grid=grid, BLOCK=512)


def test_what_cannot_be_launched_takes_forever():
    x, out, _ = arrays(64)
    model = modeled_triton.perf_model(gpu=GPU, kernel=scale)
    with pytest.warns(RuntimeWarning, match="scale"):
        assert model(x_ptr=x, out_ptr=out, n=1 << 20, grid=(1 << 10,), BLOCK=1024) == float("inf")


def test_what_does_not_fit_is_left_out_as_on_a_gpu():
    from triton.runtime.errors import OutOfResources

    def call():
        raise wl.Error("200,000 bytes of shared memory per block are more than 166,912 of a100", "", "launch-refused")

    with pytest.raises(OutOfResources):
        modeled_triton.benchmarker(gpu=GPU)(call)


def test_triton_is_itself_again_afterwards():
    from triton.runtime.jit import JITFunction
    before = JITFunction.run
    with modeled_triton.modeled(GPU), modeled_triton.modeled("h100-sxm"):
        assert JITFunction.run is not before
    assert JITFunction.run is before
