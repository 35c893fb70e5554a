"""A Triton kernel on PyTorch tensors, without a GPU: the sum of each row, read down the columns."""
import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(x, out, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for column in range(0, n):
        total += tl.load(x + rows * n + column)
    tl.store(out + rows, total)


x = torch.randn(1024, 256, device="cuda")
out = torch.empty(1024, device="cuda")
row_sum[(8,)](x, out, 256, BLOCK=128)
print("right" if torch.allclose(out, x.sum(1), atol=1e-3) else "wrong")
