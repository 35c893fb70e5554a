"""Triton kernels for the problems."""
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a, b, bias, c, m, n, k, BLOCK: tl.constexpr, HAS_BIAS: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for first in range(0, k, BLOCK):
        inner = first + tl.arange(0, BLOCK)
        left = tl.load(a + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0)
        right = tl.load(b + inner[:, None] * n + columns[None, :], mask=(inner[:, None] < k) & (columns[None, :] < n), other=0)
        total = tl.dot(left, right, total, input_precision="ieee")
    if HAS_BIAS:
        total += tl.load(bias + columns, mask=columns < n, other=0)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


def matmul(a, b, bias=None):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, device=a.device)
    matmul_kernel[(triton.cdiv(m, 32), triton.cdiv(n, 32))](a, b, b if bias is None else bias, c, m, n, k, BLOCK=32,
                                                            HAS_BIAS=bias is not None)
    return c


@triton.jit
def matvec_kernel(a, x, y, k, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, k, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(a + row * k + at, mask=at < k, other=0) * tl.load(x + at, mask=at < k, other=0)
    tl.store(y + row, tl.sum(total))


def matvec(a, x):
    y = torch.empty(a.shape[0], device=a.device)
    matvec_kernel[(a.shape[0],)](a, x, y, a.shape[1], BLOCK=128)
    return y


@triton.jit
def activation_kernel(x, y, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    if KIND == "gelu":
        value = 0.5 * value * (1 + tl.erf(value * 0.7071067811865476))
    else:
        value = tl.where(value > 0, value, 0.01 * value)
    tl.store(y + at, value, mask=at < n)


def activation(kind):
    def run(x):
        y = torch.empty_like(x)
        activation_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), KIND=kind, BLOCK=256)
        return y

    return run


@triton.jit
def row_kernel(x, w, y, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + at, mask=at < n, other=-float("inf") if KIND == "log_softmax" else 0)
    if KIND == "log_softmax":
        value = value - tl.max(value)
        value = value - tl.log(tl.sum(tl.exp(value)))
    elif KIND == "rms_norm":
        value = value * tl.rsqrt(tl.sum(value * value) / n + 1e-6) * tl.load(w + at, mask=at < n)
    else:
        value = tl.cumsum(value)
    tl.store(y + row * n + at, value, mask=at < n)


def of_rows(kind):
    def run(x, w=None):
        y = torch.empty_like(x)
        row_kernel[(x.shape[0],)](x, x if w is None else w, y, x.shape[1], KIND=kind, BLOCK=triton.next_power_of_2(x.shape[1]))
        return y

    return run


@triton.jit
def mean_kernel(x, y, n, divisor, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(tl.load(x + tl.program_id(0) * n + at, mask=at < n, other=0)) / divisor)


def mean(x, divisor=None):
    y = torch.empty(x.shape[0], device=x.device)
    mean_kernel[(x.shape[0],)](x, y, x.shape[1], divisor or x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


def padded_mean(x):
    """Wrong on purpose: divides by the block's size, which is the row's only where that is a power of two."""
    return mean(x, triton.next_power_of_2(x.shape[1]))


@triton.jit
def cross_entropy_kernel(x, targets, loss, rows, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    most = tl.max(value)
    total = tl.log(tl.sum(tl.exp(value - most))) + most
    tl.atomic_add(loss, (total - tl.load(x + row * n + tl.load(targets + row))) / rows)


def cross_entropy(x, targets):
    loss = torch.zeros((), device=x.device)
    cross_entropy_kernel[(x.shape[0],)](x, targets, loss, *x.shape, BLOCK=triton.next_power_of_2(x.shape[1]))
    return loss


@triton.jit
def huber_kernel(a, b, loss, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    far = tl.abs(tl.load(a + at, mask=at < n, other=0) - tl.load(b + at, mask=at < n, other=0))
    tl.atomic_add(loss, tl.sum(tl.where(far < 1, 0.5 * far * far, far - 0.5)) / n)


def huber(a, b):
    loss = torch.zeros((), device=a.device)
    huber_kernel[(triton.cdiv(a.numel(), 256),)](a, b, loss, a.numel(), BLOCK=256)
    return loss
