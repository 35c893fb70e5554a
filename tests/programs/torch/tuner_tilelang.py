"""TileLang's autotuner: each configuration is checked, and timed once; the chosen one computes the answer."""
import tilelang
import tilelang.language as T
import torch

N = 256
CONFIGS = [{"rows": 64, "columns": 64, "depth": 32, "stages": 2}, {"rows": 128, "columns": 64, "depth": 32, "stages": 2},
           {"rows": 32, "columns": 32, "depth": 32, "stages": 1}]


def reference(a, b):
    return (a.float() @ b.float()).half()


@tilelang.autotune(configs=CONFIGS, ref_prog=reference, timeout=1)  # a second is too short: it must not count here
@tilelang.jit(out_idx=[-1])
def product(n, rows=None, columns=None, depth=None, stages=None):
    @T.prim_func
    def main(a: T.Tensor((n, n), "float16"), b: T.Tensor((n, n), "float16"), c: T.Tensor((n, n), "float16")):
        with T.Kernel(T.ceildiv(n, columns), T.ceildiv(n, rows), threads=128) as (x, y):
            a_tile = T.alloc_shared((rows, depth), "float16")
            b_tile = T.alloc_shared((depth, columns), "float16")
            sums = T.alloc_fragment((rows, columns), "float32")
            T.clear(sums)
            for k in T.Pipelined(T.ceildiv(n, depth), num_stages=stages):
                T.copy(a[y * rows, k * depth], a_tile)
                T.copy(b[k * depth, x * columns], b_tile)
                T.gemm(a_tile, b_tile, sums)
            T.copy(sums, c[y * rows, x * columns])

    return main


chosen = product(N)
a, b = (torch.randn(N, N, device="cuda", dtype=torch.float16) for _ in range(2))
torch.testing.assert_close(chosen(a, b), reference(a, b), rtol=1e-2, atol=1e-2)

times = [product(N, **config).get_profiler().do_bench() for config in CONFIGS]
assert len(set(times)) == len(times) and min(times) > 0, times
assert chosen.latency == min(times) and chosen.config == CONFIGS[times.index(min(times))], (chosen.config, chosen.latency, times)
assert chosen.get_profiler().do_bench(backend="cupti", quantiles=[0.2, 0.8]) == [min(times)] * 2
print("modeled ms of the three configurations:", *(f"{one:.6f}" for one in times))
print("PASSED")
