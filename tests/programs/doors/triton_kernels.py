"""Triton's own launcher with our libcuda: numpy arrays, no torch, no GPU.

warpledger profile --gpu a100-80 python3 triton_kernels.py [add softmax matmul flash]
"""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "triton"))
import kernels


class Array:
    """What Triton asks of a tensor."""

    def __init__(self, data):
        self.data, self.dtype, self.shape = data, data.dtype.name, data.shape

    def data_ptr(self):
        return self.data.ctypes.data

    def element_size(self):
        return self.data.itemsize

    def stride(self, axis=None):
        strides = [s // self.data.itemsize for s in self.data.strides]
        return strides if axis is None else strides[axis]


rng = np.random.default_rng(1)


def close(got, expected, tolerance):
    return np.allclose(got.astype(np.float64), expected, rtol=tolerance, atol=tolerance)


def run_add():
    n = 10000
    x, y = (Array(rng.random(n, dtype=np.float32)) for _ in range(2))
    out = Array(np.zeros(n, np.float32))
    kernels.add[(-(-n // 1024),)](x, y, out, n, BLOCK=1024)
    return np.array_equal(out.data, x.data + y.data)


def run_softmax():
    rows, columns = 32, 200
    x = Array(rng.random((rows, columns), dtype=np.float32) * 8)
    out = Array(np.zeros((rows, columns), np.float32))
    kernels.softmax[(16,)](out, x, columns, columns, rows, columns, BLOCK=256)
    e = np.exp(x.data.astype(np.float64))
    return close(out.data, e / e.sum(axis=1, keepdims=True), 1e-5)


def run_matmul():
    m, n, k = 128, 128, 96
    a = Array(rng.random((m, k)).astype(np.float16))
    b = Array(rng.random((k, n)).astype(np.float16))
    c = Array(np.zeros((m, n), np.float16))
    kernels.matmul[(m // 64, n // 64)](a, b, c, m, n, k, k, n, n, BM=64, BN=64, BK=32)
    return close(c.data, a.data.astype(np.float64) @ b.data.astype(np.float64), 1e-2)


def run_flash():
    heads, length, d = 2, 128, 64
    q, k, v = (Array((rng.random((heads, length, d)) - 0.5).astype(np.float16)) for _ in range(3))
    out = Array(np.zeros((heads, length, d), np.float16))
    scale = 1.4426950408889634 / d**0.5
    kernels.flash[(length // 64, heads)](q, k, v, out, scale, length * d, d, length,
                                         BM=64, BN=32, D=d)
    s = q.data.astype(np.float64) @ k.data.astype(np.float64).transpose(0, 2, 1) / d**0.5
    s[:, np.triu(np.ones((length, length), bool), 1)] = -np.inf
    p = np.exp(s - s.max(axis=2, keepdims=True))
    expected = p / p.sum(axis=2, keepdims=True) @ v.data.astype(np.float64)
    return close(out.data, expected, 1e-2)


def main():
    names = sys.argv[1:] or ["add", "softmax", "matmul", "flash"]
    good = True
    for name in names:
        right = globals()[f"run_{name}"]()
        print(f"{name}: {'right' if right else 'WRONG'}", flush=True)
        good &= right
    print("PASSED" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
