"""do_bench of a kernel that reads its loop's length from memory: two lengths, two times; the tensor keeps its values."""
import torch
import triton
import triton.language as tl


@triton.jit
def work(rounds, x, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    for _ in range(tl.load(rounds)):
        v = v * 1.0001 + 1.0
    tl.store(x + at, v)


@triton.jit
def choose(rounds, n):
    tl.store(rounds, n)


x = torch.zeros(256 * 128, device="cuda")
times = {}
for n in (10, 2000):
    rounds = torch.tensor([n], dtype=torch.int32, device="cuda")
    times[n] = triton.testing.do_bench(lambda r=rounds: work[(128,)](r, x, BLOCK=256))
    assert triton.testing.do_bench(lambda r=rounds: work[(128,)](r, x, BLOCK=256), quantiles=[0.5]) == times[n]
assert times[2000] > 20 * times[10], times
assert float(x.sum()) == 0.0, "a benchmark's launches compute nothing"

# A size that a launch of the benchmark computes, and one that an operator of torch makes of it.
rounds = torch.zeros(1, dtype=torch.int32, device="cuda")


def chosen():
    choose[(1,)](rounds, 2000)
    work[(128,)](rounds, x, BLOCK=256)


def doubled():
    choose[(1,)](rounds, 1000)
    work[(128,)](rounds * 2, x, BLOCK=256)


assert triton.testing.do_bench(chosen) > 0.9 * times[2000]
assert triton.testing.do_bench(doubled) > 0.9 * times[2000]

# Times only: what floats become of floats needs no values.
y = torch.zeros_like(x)
triton.testing.do_bench(lambda: (work[(128,)](rounds, y, BLOCK=256), y.exp().sum(), y.add_(1)))
assert float(y.sum()) in (0.0, float(y.numel())), "no value of the kernel"
print("PASSED")
