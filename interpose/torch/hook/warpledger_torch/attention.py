"""Fused attention, flash and memory-efficient, forward and backward: the same sums without their tiles, in float.

Dropout draws its mask from the seed and offset that forward returns, as CUDA's kernels do, so that backward has the
same one; the numbers are those of rng.py.
"""
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

import torch

from warpledger_torch import rng

_MOST_ELEMENTS = 1 << 26  # of scores at a time
_ALIGN_LSE = 32  # the memory-efficient kernel pads its log-sum-exps


class Problem:
    """One attention: inputs in float, one head after the other."""

    def __init__(self, query: Any, key: Any, value: Any, bias: Optional[Any], causal: bool, scale: Optional[float]) -> None:
        self.shape = (*query.shape[:3], key.shape[2])  # batch, heads, rows, columns
        self.group = query.shape[1] // key.shape[1]  # heads that share keys and values
        self.scale = query.shape[-1] ** -0.5 if scale is None else scale
        self.query, self.key, self.value = (self.flat(t) for t in (query, key, value))
        self.bias = None if bias is None else bias.expand(self.shape).reshape(-1, *self.shape[2:])
        self.causal = causal

    def flat(self, t: Any) -> Any:
        wide = t.float() if t.dtype in (torch.float16, torch.bfloat16) else t
        if t.shape[1] != self.shape[1]:
            wide = wide.repeat_interleave(self.group, 1)
        return wide.reshape(-1, *t.shape[2:])

    def parts(self) -> Iterator[slice]:
        step = max(1, _MOST_ELEMENTS // max(1, self.shape[2] * self.shape[3]))
        for first in range(0, self.shape[0] * self.shape[1], step):
            yield slice(first, first + step)

    def scores(self, part: slice) -> Any:
        s = self.query[part] @ self.key[part].transpose(-2, -1) * self.scale
        if self.bias is not None:
            s = s + self.bias[part]
        if self.causal:
            above = torch.ones(self.shape[2:], dtype=torch.bool, device=s.device).triu(1)
            s = s.masked_fill(above, float("-inf"))
        return s

    def heads(self, t: Any) -> Any:
        """Restores the memory order (batch, row, head) in which CUDA's attention kernels write."""
        t = t.reshape(*self.shape[:2], *t.shape[1:])
        return t.transpose(1, 2).contiguous().transpose(1, 2)

    def shared(self, t: Any) -> Any:
        """Sums the gradient of keys or values over the query heads that share them."""
        t = t.reshape(self.shape[0], -1, self.group, *t.shape[1:]).sum(2)
        return t.transpose(1, 2).contiguous().transpose(1, 2)


def kept(problem: Problem, p: float, seed: int, offset: int) -> Optional[Any]:
    """What dropout multiplies with: 1 / (1 - p), or 0."""
    if p == 0:
        return None
    generator = torch.Generator().manual_seed(rng.mix(seed, offset))
    shape = (problem.shape[0] * problem.shape[1], *problem.shape[2:])
    return (torch.rand(shape, generator=generator) >= p).float().div_(max(1 - p, 1e-30))


def forward(problem: Problem, drop: Optional[Any]) -> Tuple[Any, Any]:
    outs, sums = [], []
    for part in problem.parts():
        s = problem.scores(part)
        lse = s.logsumexp(-1, keepdim=True)
        weights = (s - lse).exp().nan_to_num(0.0)
        if drop is not None:
            weights = weights * drop[part]
        outs.append(weights @ problem.value[part])
        sums.append(lse)
    return problem.heads(torch.cat(outs)), torch.cat(sums).reshape(problem.shape[:3])


def backward(problem: Problem, grad: Any, out: Any, lse: Any, drop: Optional[Any]) -> Tuple[Any, ...]:
    grad, out, lse = problem.flat(grad), problem.flat(out), lse[..., :problem.shape[2]].reshape(-1, problem.shape[2], 1)
    made: Tuple[list[Any], ...] = ([], [], [], [])
    for part in problem.parts():
        weights = (problem.scores(part) - lse[part]).exp().nan_to_num(0.0)
        dropped = weights if drop is None else weights * drop[part]
        inner = grad[part] @ problem.value[part].transpose(-2, -1)
        if drop is not None:
            inner = inner * drop[part]
        scores = weights * (inner - (grad[part] * out[part]).sum(-1, keepdim=True))
        made[0].append(scores @ problem.key[part] * problem.scale)
        made[1].append(scores.transpose(-2, -1) @ problem.query[part] * problem.scale)
        made[2].append(dropped.transpose(-2, -1) @ grad[part])
        made[3].append(scores)
    query, key, value, bias = (torch.cat(m) for m in made)
    return problem.heads(query), problem.shared(key), problem.shared(value), bias.reshape(problem.shape)


def _seeds(p: float) -> Tuple[int, int]:
    return rng.next_seed(rng.default_generator()) if p > 0 else (0, 0)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def _flash(query: Any, key: Any, value: Any, dropout_p: float = 0.0, is_causal: bool = False, return_debug_mask: bool = False,
           *, scale: Optional[float] = None) -> Tuple[Any, ...]:
    problem = Problem(query, key, value, None, is_causal, scale)
    seed, offset = _seeds(dropout_p)
    out, lse = forward(problem, kept(problem, dropout_p, seed, offset))
    state = torch.tensor([_signed(seed), offset]).view(torch.uint64)
    return (out.to(query.dtype), lse.float(), None, None, query.shape[2], key.shape[2], state,
            torch.zeros((), dtype=torch.uint64), torch.empty(0, dtype=query.dtype))


def _flash_backward(grad: Any, query: Any, key: Any, value: Any, out: Any, lse: Any, cq: Any, ck: Any, mq: int, mk: int,
                    dropout_p: float, is_causal: bool, state: Any, unused: Any, *, scale: Optional[float] = None) -> Tuple[Any, ...]:
    problem = Problem(query, key, value, None, is_causal, scale)
    seed, offset = state.tolist() if dropout_p > 0 else (0, 0)
    grads = backward(problem, grad, out, lse, kept(problem, dropout_p, seed, offset))
    return tuple(t.to(query.dtype) for t in grads[:3])


def _efficient(query: Any, key: Any, value: Any, attn_bias: Optional[Any], compute_log_sumexp: bool, dropout_p: float = 0.0,
               is_causal: bool = False, *, scale: Optional[float] = None) -> Tuple[Any, ...]:
    problem = Problem(query, key, value, attn_bias, is_causal, scale)
    seed, offset = _seeds(dropout_p)
    out, lse = forward(problem, kept(problem, dropout_p, seed, offset))
    rows = -(-query.shape[2] // _ALIGN_LSE) * _ALIGN_LSE if compute_log_sumexp else 0
    padded = torch.full((*lse.shape[:2], rows), float("inf"), dtype=torch.float32)
    if compute_log_sumexp:
        padded[..., :query.shape[2]] = lse
    return out.to(query.dtype), padded, torch.tensor(_signed(seed)), torch.tensor(offset)


def _efficient_backward(grad: Any, query: Any, key: Any, value: Any, attn_bias: Optional[Any], out: Any, lse: Any, seed: Any,
                        offset: Any, dropout_p: float, mask: Any, is_causal: bool = False, *,
                        scale: Optional[float] = None) -> Tuple[Any, ...]:
    given = attn_bias if attn_bias is not None and attn_bias.numel() else None
    problem = Problem(query, key, value, given, is_causal, scale)
    drop = kept(problem, dropout_p, int(seed), int(offset)) if dropout_p > 0 else None
    *grads, bias = backward(problem, grad, out, lse, drop)
    bias = bias.sum_to_size(given.shape).to(query.dtype) if given is not None and mask[3] else None
    return (*(t.to(query.dtype) for t in grads), bias)


FORMULAS: Dict[str, Callable[..., Any]] = {
    "_scaled_dot_product_flash_attention": _flash, "_scaled_dot_product_flash_attention_backward": _flash_backward,
    "_scaled_dot_product_efficient_attention": _efficient,
    "_scaled_dot_product_efficient_attention_backward": _efficient_backward,
}
