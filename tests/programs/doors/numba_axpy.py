"""numba-cuda without line information: nvJitLink makes the machine code, and ours keeps the PTX.  pip install "numba-cuda[cu13]" """
import numpy as np
from numba import cuda


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


x = np.arange(1 << 16, dtype=np.float32)
y = cuda.to_device(np.ones_like(x))
axpy[256, 256](np.float32(2), cuda.to_device(x), y)
print("PASSED" if np.array_equal(y.copy_to_host(), 2 * x + 1) else "FAILED")
