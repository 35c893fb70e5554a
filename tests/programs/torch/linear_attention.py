"""Kernels of flash-linear-attention (pip install fla-core), forward and backward, against their recurrences in float64."""
import torch
from checks import compare, done
from fla.ops.delta_rule import fused_recurrent_delta_rule
from fla.ops.gla import fused_recurrent_gla
from fla.ops.hgrn import fused_recurrent_hgrn
from fla.ops.retention import fused_recurrent_retention
from fla.ops.simple_gla import fused_recurrent_simple_gla
from torch.nn import functional as F

torch.manual_seed(0)
SHAPE = 2, 20, 2, 16  # batch, time, heads, width


def states(k, v, decay):
    """S_t = decay_t S_(t-1) + k_t v_t'"""
    state = torch.zeros(*k.shape[:1], *k.shape[2:], v.shape[-1], dtype=k.dtype)
    for t in range(k.shape[1]):
        state = decay(t) * state + k[:, t, :, :, None] * v[:, t, :, None, :]
        yield state


def attention(q, k, v, decay):
    read = [(q[:, t, :, :, None] * state).sum(-2) for t, state in enumerate(states(k, v, decay))]
    return torch.stack(read, 1) * q.shape[-1] ** -0.5


def retention(q, k, v):
    kept = 1 - 2.0 ** (-5 - torch.arange(q.shape[2], dtype=torch.float64))
    return attention(q, k, v, lambda t: kept[:, None, None])


def gated(q, k, v, g):
    return attention(q, k, v, lambda t: F.logsigmoid(g[:, t, :, :, None]).exp())


def gated_by_head(q, k, v, g):
    return attention(q, k, v, lambda t: F.logsigmoid(g[:, t, :, None, None]).exp())


def delta_rule(q, k, v, beta):
    state, read = torch.zeros(*q.shape[:1], *q.shape[2:], v.shape[-1], dtype=q.dtype), []
    for t in range(q.shape[1]):
        key = k[:, t, :, :, None]
        news = v[:, t] - (key * state).sum(-2)
        state = state + key * (beta[:, t, :, None] * news)[:, :, None, :]
        read.append((q[:, t, :, :, None] * state).sum(-2))
    return torch.stack(read, 1) * q.shape[-1] ** -0.5


def gated_recurrence(x, g):
    state, read = torch.zeros_like(x[:, 0]), []
    for t in range(x.shape[1]):
        state = F.logsigmoid(g[:, t]).exp() * state + x[:, t]
        read.append(state)
    return torch.stack(read, 1)


q, k, v = torch.randn(SHAPE), F.normalize(torch.randn(SHAPE), dim=-1), torch.randn(SHAPE)
compare("retention", lambda q, k, v: fused_recurrent_retention(q, k, v)[0], q, k, v, tolerance=1e-4, reference=retention)
compare("gated linear attention", lambda q, k, v, g: fused_recurrent_gla(q, k, v, F.logsigmoid(g))[0], q, k, v, torch.randn(SHAPE),
        tolerance=1e-4, reference=gated)
compare("a gate for each head", lambda q, k, v, g: fused_recurrent_simple_gla(q, k, v, F.logsigmoid(g))[0], q, k, v,
        torch.randn(SHAPE[:3]), tolerance=1e-4, reference=gated_by_head)
compare("delta rule", lambda q, k, v, b: fused_recurrent_delta_rule(q, k, v, b)[0], q, k, v, torch.rand(SHAPE[:3]),
        tolerance=1e-4, reference=delta_rule)
compare("gated recurrence", lambda x, g: fused_recurrent_hgrn(x, F.logsigmoid(g))[0], torch.randn(2, 20, 40), torch.randn(2, 20, 40),
        tolerance=1e-4, reference=gated_recurrence)
done()
