"""A Triton kernel writes one element past its tensor; the launch must stop at line 10."""
import torch
import triton
import triton.language as tl


@triton.jit
def fill(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 1.0, mask=i <= n)


x = torch.zeros(1000, device="cuda")
fill[(1,)](x, 1000, BLOCK=1024)
torch.cuda.synchronize()
