"""The time of an operator on its stream's clock: launch overhead + the larger of bytes and FLOPs over the GPU's rates.

The drop-in library divides by the rates of --gpu (interpose/estimate.h); here bytes and FLOPs are counted. It is
an estimate: caches, fusion and how good a library's kernel is are not in it.
"""
import math
from typing import Any, Callable, Dict

import torch

from warpledger_torch import library

FP32, FP64, TENSOR_FP16 = 0, 1, 2  # MathPipe of interpose/estimate.h
_PIPES = {torch.float64: FP64, torch.complex128: FP64, torch.float16: TENSOR_FP16, torch.bfloat16: TENSOR_FP16}

current_stream = torch._C._cuda_getCurrentRawStream


def _mm(a: Any, b: Any, *_: Any) -> float:
    return float(2.0 * a.shape[0] * a.shape[1] * b.shape[-1])


def _addmm(c: Any, a: Any, b: Any, *_: Any) -> float:
    return _mm(a, b)


def _bmm(a: Any, b: Any, *_: Any) -> float:
    return float(2.0 * a.shape[0] * a.shape[1] * a.shape[2] * b.shape[-1])


def _baddbmm(c: Any, a: Any, b: Any, *_: Any) -> float:
    return _bmm(a, b)


def _convolution(x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, *_: Any) -> float:
    """Every weight is multiplied once per output position (per input position when transposed)."""
    if transposed:
        return float(2.0 * w.numel() * x.shape[0] * math.prod(x.shape[2:]))
    last = len(stride) - 1
    space = [(n + 2 * padding[min(i, len(padding) - 1)] - dilation[min(i, len(dilation) - 1)] * (k - 1) - 1)
             // stride[min(i, last)] + 1 for i, (n, k) in enumerate(zip(x.shape[2:], w.shape[2:]))]
    return float(2.0 * w.numel() * x.shape[0] * math.prod(space))


def _convolution_backward(grad: Any, x: Any, w: Any, sizes: Any, stride: Any, padding: Any, dilation: Any,
                          transposed: bool, *_: Any) -> float:
    space = x.shape[2:] if transposed else grad.shape[2:]
    return float(4.0 * w.numel() * x.shape[0] * math.prod(space))


FLOPS: Dict[str, Callable[..., float]] = {
    "mm": _mm, "mm.out": _mm, "addmm": _addmm, "addmm.out": _addmm, "addmm_": _addmm, "_addmm_activation": _addmm,
    "bmm": _bmm, "bmm.out": _bmm, "baddbmm": _baddbmm, "baddbmm.out": _baddbmm, "baddbmm_": _baddbmm,
    "convolution": _convolution, "convolution_backward": _convolution_backward,
}


def pipe_of(tensor: Any) -> int:
    return _PIPES.get(tensor.dtype, FP32)


def add(bytes_moved: int, flops: float = 0.0, pipe: int = FP32) -> None:
    library.add_operator(current_stream(0), bytes_moved, flops, pipe, None, None)
