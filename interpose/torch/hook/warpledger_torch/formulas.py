"""Operators that only CUDA has, as CPU tensors compute them: recurrent cells, RMS norm, products into a wider type.

Each formula takes what its operator takes. It computes in float for half inputs and rounds once.
"""
from typing import Any, Callable, Dict, Optional, Tuple

import torch

from warpledger_torch import attention


def _wide(x: Any) -> Any:
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def _lstm_cell(input_gates: Any, hidden_gates: Any, cx: Any, input_bias: Any = None, hidden_bias: Any = None) -> Tuple[Any, ...]:
    gates = _wide(input_gates) + _wide(hidden_gates)
    if input_bias is not None:
        gates = gates + input_bias + hidden_bias
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * _wide(cx) + i * g
    return tuple(t.to(cx.dtype) for t in (o * cy.tanh(), cy, torch.cat((i, f, g, o), 1)))


def _lstm_cell_backward(grad_hy: Optional[Any], grad_cy: Optional[Any], cx: Any, cy: Any, workspace: Any,
                        has_bias: bool) -> Tuple[Any, ...]:
    i, f, g, o = _wide(workspace).chunk(4, 1)
    tanh = _wide(cy).tanh()
    hidden = torch.zeros_like(tanh) if grad_hy is None else _wide(grad_hy)
    cell = hidden * o * (1 - tanh * tanh)
    if grad_cy is not None:
        cell = cell + _wide(grad_cy)
    gates = torch.cat((cell * g * i * (1 - i), cell * _wide(cx) * f * (1 - f), cell * i * (1 - g * g),
                       hidden * tanh * o * (1 - o)), 1)
    bias = gates.sum(0).to(cx.dtype) if has_bias else None
    return gates.to(cx.dtype), (cell * f).to(cx.dtype), bias


def _gru_cell(input_gates: Any, hidden_gates: Any, hx: Any, input_bias: Any = None, hidden_bias: Any = None) -> Tuple[Any, ...]:
    given, hidden = _wide(input_gates), _wide(hidden_gates)
    if input_bias is not None:
        given, hidden = given + input_bias, hidden + hidden_bias
    r_in, z_in, n_in = given.chunk(3, 1)
    r_hidden, z_hidden, n_hidden = hidden.chunk(3, 1)
    r, z = (r_in + r_hidden).sigmoid(), (z_in + z_hidden).sigmoid()
    n = (n_in + r * n_hidden).tanh()
    hy = n + z * (_wide(hx) - n)
    return hy.to(hx.dtype), torch.cat((r, z, n, _wide(hx), n_hidden), 1).to(hx.dtype)


def _gru_cell_backward(grad_hy: Any, workspace: Any, has_bias: bool) -> Tuple[Any, ...]:
    r, z, n, hx, n_hidden = _wide(workspace).chunk(5, 1)
    grad = _wide(grad_hy)
    z_grad = grad * (hx - n) * (1 - z) * z
    n_grad = grad * (1 - z) * (1 - n * n)
    r_grad = n_grad * n_hidden * (1 - r) * r
    given, hidden = torch.cat((r_grad, z_grad, n_grad), 1), torch.cat((r_grad, z_grad, n_grad * r), 1)
    biases = (given.sum(0), hidden.sum(0)) if has_bias else (None, None)
    return tuple(None if t is None else t.to(grad_hy.dtype) for t in (given, hidden, grad * z, *biases))


def _rms_norm(x: Any, shape: Any, weight: Any, eps: Optional[float]) -> Tuple[Any, Any]:
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    wide = _wide(x)
    rstd = (wide.pow(2).mean(tuple(range(-len(shape), 0)), keepdim=True) + eps).rsqrt()
    y = wide * rstd
    return (y if weight is None else y * weight).to(x.dtype), rstd


def _rms_norm_backward(grad: Any, x: Any, shape: Any, rstd: Any, weight: Any, mask: Any) -> Tuple[Any, Any]:
    dims = tuple(range(-len(shape), 0))
    g, normalized = _wide(grad), _wide(x) * rstd
    scaled = g if weight is None else g * _wide(weight)
    x_grad = ((scaled - normalized * (scaled * normalized).mean(dims, keepdim=True)) * rstd).to(x.dtype) if mask[0] else None
    if weight is None or not mask[1]:
        return x_grad, None
    outer = tuple(range(x.dim() - len(shape)))
    product = g * normalized
    return x_grad, (product.sum(outer) if outer else product).to(weight.dtype)


def _product(a: Any, b: Any, out_dtype: Any) -> Any:
    return (_wide(a) @ _wide(b)).to(out_dtype)


def _product_out(a: Any, b: Any, out_dtype: Any, *, out: Any) -> Any:
    return out.copy_(_product(a, b, out_dtype))


def _no(*args: Any) -> bool:
    return False  # whether cuDNN computes it


FORMULAS: Dict[str, Callable[..., Any]] = {
    "_thnn_fused_lstm_cell": _lstm_cell, "_thnn_fused_lstm_cell_backward_impl": _lstm_cell_backward,
    "_thnn_fused_gru_cell": _gru_cell, "_thnn_fused_gru_cell_backward": _gru_cell_backward,
    "_fused_rms_norm": _rms_norm, "_fused_rms_norm_backward": _rms_norm_backward,
    "mm.dtype": _product, "bmm.dtype": _product, "mm.dtype_out": _product_out, "bmm.dtype_out": _product_out,
    "_use_cudnn_ctc_loss": _no, "_use_cudnn_ctc_loss.Tensor": _no, "_use_miopen_ctc_loss": _no,
    "_use_miopen_ctc_loss.Tensor": _no,
    **attention.FORMULAS,
}
