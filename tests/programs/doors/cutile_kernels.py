"""cuTile's own launcher with our libcuda: managed memory, no torch, no GPU. Its cubins keep the PTX that tileiras made.

warpledger profile --gpu a100-80 python3 cutile_kernels.py [add softmax matmul scatter]
"""
import ctypes
import sys

import cuda.tile as ct
import numpy as np

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *args):
    assert getattr(cuda, name)(*args) == 0, name


class Array:
    """What cuTile asks of an array: managed memory with a copy of `data`."""

    def __init__(self, data):
        place = ctypes.c_uint64()
        call("cuMemAllocManaged", ctypes.byref(place), ctypes.c_size_t(data.nbytes), 1)
        held = (ctypes.c_char * data.nbytes).from_address(place.value)
        self.data = np.frombuffer(held, data.dtype).reshape(data.shape)
        self.data[...] = data

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.data.shape, "typestr": self.data.dtype.str, "strides": self.data.strides, "version": 3,
                "data": (self.data.ctypes.data, False)}


rng = np.random.default_rng(1)


def launch(grid, kernel, *args):
    ct.launch(0, (*grid, 1, 1)[:3], kernel, args)


@ct.kernel
def add(x, y, out):
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(512,))
    b = ct.load(y, index=(i,), shape=(512,))
    ct.store(out, index=(i,), tile=a + b)


def run_add():
    n = 10000  # the last tile is not full
    x, y, out = Array(rng.random(n, np.float32)), Array(rng.random(n, np.float32)), Array(np.zeros(n, np.float32))
    launch((-(-n // 512),), add, x, y, out)
    return np.array_equal(out.data, x.data + y.data)


@ct.kernel
def softmax(x, out):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, 256))
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))
    ct.store(out, index=(ct.bid(0), 0), tile=e / ct.sum(e, axis=1, keepdims=True))


def run_softmax():
    x, out = Array(rng.random((32, 256), np.float32) * 8), Array(np.zeros((32, 256), np.float32))
    launch((32,), softmax, x, out)
    e = np.exp(x.data.astype(np.float64))
    return np.allclose(out.data, e / e.sum(axis=1, keepdims=True), rtol=1e-5)


@ct.kernel
def matmul(a, b, c):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.full((64, 64), 0, ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(64, 32))):
        total = ct.mma(ct.load(a, index=(i, k), shape=(64, 32)), ct.load(b, index=(k, j), shape=(32, 64)), total)
    ct.store(c, index=(i, j), tile=total.astype(ct.float16))


def run_matmul():
    m, n, k = 128, 192, 96
    a, b = Array(rng.random((m, k)).astype(np.float16)), Array(rng.random((k, n)).astype(np.float16))
    c = Array(np.zeros((m, n), np.float16))
    launch((m // 64, n // 64), matmul, a, b, c)
    return np.allclose(c.data, a.data.astype(np.float64) @ b.data.astype(np.float64), rtol=2e-3)


@ct.kernel
def scatter(where, values, out):
    i = ct.bid(0)
    at = ct.load(where, index=(i,), shape=(128,))
    ct.atomic_add(out, (at,), ct.load(values, index=(i,), shape=(128,)))


def run_scatter():
    where = Array(rng.integers(0, 64, 1024).astype(np.int32))
    values, out = Array(rng.integers(0, 9, 1024).astype(np.int32)), Array(np.zeros(64, np.int32))
    launch((8,), scatter, where, values, out)
    return np.array_equal(out.data, np.bincount(where.data, values.data, 64).astype(np.int32))


def main():
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    names = sys.argv[1:] or ["add", "softmax", "matmul", "scatter"]
    good = True
    for name in names:
        right = globals()[f"run_{name}"]()
        print(f"{name}: {'right' if right else 'WRONG'}", flush=True)
        good &= right
    print("PASSED" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
