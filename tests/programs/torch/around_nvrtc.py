"""Kernels that torch compiles with NVRTC."""
import torch

kernel = torch.cuda._compile_kernel('extern "C" __global__ void add_one(float* x) { x[threadIdx.x] += 1; }', "add_one")
x = torch.zeros(32, device="cuda")
kernel((1, 1, 1), (32, 1, 1), (x,))
assert float(x.sum()) == 32.0
twice = torch.cuda.jiterator._create_jit_fn("template <typename T> T twice(T x) { return x + x; }")
assert torch.equal(twice(torch.arange(100.0, device="cuda")), 2 * torch.arange(100.0, device="cuda"))
print("PASSED")
