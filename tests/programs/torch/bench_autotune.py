"""Triton's autotuner: each configuration is timed once, the chosen one computes the answer."""
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 256}, num_warps=4),
                          triton.Config({"BLOCK": 1024}, num_warps=8)], key=["n"])
@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, at < n), at < n)


n = 100_000
x = torch.randn(n, device="cuda")
y = torch.zeros(n, device="cuda")
grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)  # noqa: E731
scale[grid](x, y, n)
assert torch.equal(y, 2 * x)
assert all(t[0] > 0 for t in scale.configs_timings.values()), scale.configs_timings
assert len({t[0] for t in scale.configs_timings.values()}) > 1
assert triton.testing.do_bench(lambda: scale[grid](x, y, n)) == min(t[0] for t in scale.configs_timings.values())
print("PASSED")
