"""Triton's own binding of cuBLASLt, which its tutorials 09 and 10 compare with: products that torch's CPU kernels compute.

C = A B', both by rows, as that binding has them; with a scale for each block of 16 or 32 elements of a row (cuBLAS's layout of
scales: tiles of 128 rows and 4 blocks). Times are estimates, as aten's are.
"""
from types import ModuleType
from typing import Any

_FP4 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0)
_ROWS, _LANES, _BLOCKS = 128, 32, 4  # of a tile of scales


def _alias(x: Any) -> Any:
    from warpledger_torch import call

    return call.alias(x)


def _unpacked(x: Any) -> Any:
    """Unpacks FP4 values, which lie two to a byte, the first in the low half."""
    import torch

    halves = torch.stack((x & 15, x >> 4), -1).flatten(-2).long()
    return torch.tensor(_FP4)[halves]


def _scaled(x: Any, scales: Any, block: int) -> Any:
    """Rows times their scales, which lie in tiles, each as 32 x 4 x 4: row % 32, row // 32, block."""
    rows, blocks = x.shape[0], x.shape[1] // block
    tiles = scales.reshape(-(-rows // _ROWS), -(-blocks // _BLOCKS), _LANES, _ROWS // _LANES, _BLOCKS)
    in_rows = tiles.permute(0, 3, 2, 1, 4).reshape(tiles.shape[0] * _ROWS, tiles.shape[1] * _BLOCKS)
    return x * in_rows[:rows, :blocks].repeat_interleave(block, 1)


def _powers(scales: Any) -> Any:
    """Of E8M0: an exponent alone."""
    import torch

    return torch.exp2(scales.view(torch.uint8).float() - 127)


class CublasLt:
    def __init__(self, workspace: Any) -> None:
        self.workspace = workspace

    def _give(self, c: Any, operands: Any, k: int, compute: Any) -> None:
        from warpledger_torch import benchmark, call, estimate, library

        if call.recorder is not None:
            raise NotImplementedError("warpledger: Triton's cuBLASLt cannot be captured into a CUDA graph (docs/torch.md says what works)")
        if benchmark.is_on:
            library.note_values(c.untyped_storage().data_ptr(), c.untyped_storage().nbytes(), False)
        else:
            _alias(c).copy_(compute())
        estimate.add(call.bytes_of([(x, x) for x in (*operands, c)]), 2.0 * c.numel() * k, estimate.TENSOR_FP16)

    def matmul(self, a: Any, b: Any, c: Any) -> None:
        self._give(c, (a, b), a.shape[1], lambda: _alias(a).float() @ _alias(b).float().T)

    def gemm(self, a: Any, b: Any, c: Any, d: Any, alpha: float, beta: float) -> None:
        def compute() -> Any:
            return alpha * (_alias(a).float() @ _alias(b).float().T) + beta * _alias(c).float()

        self._give(d, (a, b, c), a.shape[1], compute)

    def block_scaled_matmul_mxfp8(self, a: Any, b: Any, c: Any, a_scales: Any, b_scales: Any) -> None:
        def factor(x: Any, scales: Any) -> Any:
            return _scaled(_alias(x).float(), _powers(_alias(scales)), 32)

        self._give(c, (a, b), a.shape[1], lambda: factor(a, a_scales) @ factor(b, b_scales).T)

    def block_scaled_matmul_nvfp4(self, a: Any, b: Any, c: Any, a_scales: Any, b_scales: Any) -> None:
        def factor(x: Any, scales: Any) -> Any:
            return _scaled(_unpacked(_alias(x)), _alias(scales).float(), 16)

        self._give(c, (a, b), 2 * a.shape[1], lambda: factor(a, a_scales) @ factor(b, b_scales).T)


def install(_module: ModuleType) -> None:
    try:
        from triton._C.libtriton import nvidia
    except ImportError:
        return
    if hasattr(nvidia, "cublas"):
        nvidia.cublas.CublasLt = CublasLt
