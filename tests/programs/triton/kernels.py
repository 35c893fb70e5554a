"""Triton kernels for tests of the PTX round trip and of the profiler."""
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)


@triton.jit
def softmax(out_ptr, in_ptr, in_stride, out_stride, rows, columns, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        offsets = tl.arange(0, BLOCK)
        inside = offsets < columns
        x = tl.load(in_ptr + row * in_stride + offsets, mask=inside, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + offsets, e / tl.sum(e, axis=0), mask=inside)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * stride_a + inner[None, :]
    b_ptrs = b_ptr + inner[:, None] * stride_b + columns[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=inner[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=inner[:, None] < K - k * BK, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BK
        b_ptrs += BK * stride_b
    c_ptrs = c_ptr + rows[:, None] * stride_c + columns[None, :]
    tl.store(c_ptrs, total.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def matmul_tma(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        total = tl.dot(a.load([row, k * BK]), b.load([column, k * BK]).T, total)
    c.store([row, column], total.to(tl.float16))


@triton.jit
def flash(q_ptr, k_ptr, v_ptr, out_ptr, scale, stride_head, stride_row, sequence,
          BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    base = tl.program_id(1) * stride_head
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + rows[:, None] * stride_row + d[None, :])
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        columns = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + columns[None, :] * stride_row + d[:, None])
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] >= columns[None, :], s, -float("inf"))
        new_top = tl.maximum(top, tl.max(s, axis=1))
        p = tl.math.exp2(s - new_top[:, None])
        shrink = tl.math.exp2(top - new_top)
        total = total * shrink + tl.sum(p, axis=1)
        v = tl.load(v_ptr + base + columns[:, None] * stride_row + d[None, :])
        acc = tl.dot(p.to(tl.float16), v, acc * shrink[:, None])
        top = new_top
    acc = acc / total[:, None]
    tl.store(out_ptr + base + rows[:, None] * stride_row + d[None, :], acc.to(tl.float16))
