"""Triton's binding of cuBLASLt: plain and block-scaled products."""
import torch
from checks import done, error_of, say
from triton._C.libtriton import nvidia

torch.manual_seed(0)
blas = nvidia.cublas.CublasLt(torch.empty(1024, device="cuda", dtype=torch.uint8))
M, N, K = 128, 256, 128


def tiled(scales):
    """Scales of rows and blocks as cuBLAS wants them, element by element."""
    rows, blocks = scales.shape
    flat = torch.empty(rows * blocks, dtype=scales.dtype)
    for r in range(rows):
        for c in range(blocks):
            tile = (r // 128) * (blocks // 4) + c // 4
            flat[tile * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4] = scales[r, c]
    return flat


def check(name, expected, run):
    c = torch.zeros(M, N, device="cuda", dtype=torch.float16)
    run(c)
    error = error_of(c, expected) / expected.abs().max().item()
    say(name, error < 1e-3, f"({error:.1e})")


a, b = torch.randn(M, K).half(), torch.randn(N, K).half()
check("product", a.double() @ b.double().T, lambda c: blas.matmul(a.cuda(), b.cuda(), c))
check("product and sum", 2 * (a.double() @ b.double().T) + 3, lambda c: blas.gemm(a.cuda(), b.cuda(), torch.ones_like(c), c, 2.0, 3.0))

a8, b8 = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
exponents = [torch.randint(124, 131, (rows, K // 32), dtype=torch.uint8) for rows in (M, N)]
wide = [x.double() * torch.exp2(e.double() - 127).repeat_interleave(32, 1) for x, e in zip((a8, b8), exponents)]
check("product of MXFP8", wide[0] @ wide[1].T,
      lambda c: blas.block_scaled_matmul_mxfp8(a8.cuda(), b8.cuda(), c, *[tiled(e).cuda() for e in exponents]))

values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)
codes = [torch.randint(0, 16, (rows, K), dtype=torch.uint8) for rows in (M, N)]
packed = [x[:, ::2] | x[:, 1::2] << 4 for x in codes]
scales = [torch.rand(rows, K // 16).to(torch.float8_e4m3fn) for rows in (M, N)]
wide = [values[x.long()] * s.double().repeat_interleave(16, 1) for x, s in zip(codes, scales)]
check("product of NVFP4", wide[0] @ wide[1].T,
      lambda c: blas.block_scaled_matmul_nvfp4(*[x.cuda() for x in packed], c, *[tiled(s).cuda() for s in scales]))
done()
