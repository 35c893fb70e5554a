"""Liger's kernels, forward and backward, against torch on the CPU in float64."""
import torch
from checks import compare, done, error_of, say
from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
from liger_kernel.ops.geglu import LigerGELUMulFunction
from liger_kernel.ops.rms_norm import LigerRMSNormFunction
from liger_kernel.ops.rope import LigerRopeFunction
from liger_kernel.ops.swiglu import LigerSiLUMulFunction
from liger_kernel.transformers import functional as liger
from torch.nn import functional as F

torch.manual_seed(0)
x, w, b = torch.randn(24, 64), torch.randn(64), torch.randn(64)
targets = torch.arange(24) % 50


def rms_norm(x, w):
    return x * (x.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt() * w


compare("RMS norm", lambda x, w: LigerRMSNormFunction.apply(x, w, 1e-6), x, w, tolerance=1e-4, reference=rms_norm)
compare("layer norm", lambda x, w, b: liger.liger_layer_norm(x, w, b, 1e-5), x, w, b, tolerance=1e-4,
        reference=lambda x, w, b: F.layer_norm(x, (64,), w, b))
compare("group norm", lambda x, w, b: liger.liger_group_norm(x, w, b, 4, 2, 1e-5), torch.randn(3, 4, 32), torch.randn(4), torch.randn(4),
        tolerance=1e-4, reference=lambda x, w, b: F.group_norm(x, 2, w, b))
compare("SwiGLU", LigerSiLUMulFunction.apply, x, torch.randn(24, 64), tolerance=1e-5, reference=lambda a, b: F.silu(a) * b)
compare("GeGLU", LigerGELUMulFunction.apply, x, torch.randn(24, 64), tolerance=1e-5,
        reference=lambda a, b: F.gelu(a, approximate="tanh") * b)
compare("softmax", liger.liger_softmax, x, tolerance=1e-6, reference=lambda x: x.softmax(-1))
compare("cross entropy", lambda x: LigerCrossEntropyFunction.apply(x, targets.cuda(), None)[0], torch.randn(24, 50), tolerance=1e-5,
        reference=lambda x: F.cross_entropy(x, targets))
compare("fused linear cross entropy", lambda x, w: liger.liger_fused_linear_cross_entropy(x, w, targets.cuda()), torch.randn(24, 32),
        torch.randn(50, 32), tolerance=1e-4, reference=lambda x, w: F.cross_entropy(x @ w.T, targets))
logs = torch.randn(8, 40).log_softmax(-1)
compare("KL divergence", lambda y: liger.liger_kl_div(y, logs.exp().cuda(), reduction="batchmean"), torch.randn(8, 40).log_softmax(-1), tolerance=1e-5,
        reference=lambda y: F.kl_div(y, logs.exp().double(), reduction="batchmean"))


def jsd(x):
    p, q = logs.double().exp(), x.exp()
    m = (p + q) / 2
    return (p * (p / m).log() + q * (q / m).log()).sum() / 2 / x.shape[0]


compare("Jensen-Shannon divergence", lambda x: liger.liger_jsd(x, logs.cuda()), torch.randn(8, 40).log_softmax(-1), tolerance=1e-5,
        reference=jsd)
compare("total variation distance", lambda x: liger.liger_tvd(x, logs.exp().cuda(), reduction="sum"), torch.randn(8, 40).softmax(-1), tolerance=1e-5,
        reference=lambda x: (x - logs.double().exp()).abs().sum() / 2)


def rope(q, k, cos, sin):
    def turned(t):
        half = t.shape[-1] // 2
        return t * cos + torch.cat((-t[..., half:], t[..., :half]), -1) * sin

    return turned(q), turned(k)


def check_rope():
    q, k = torch.randn(2, 4, 9, 16), torch.randn(2, 2, 9, 16)
    angles = torch.outer(torch.arange(9.0), 10000 ** (-torch.arange(0, 8) / 8))
    angles = torch.cat((angles, angles), -1)[None]
    cos, sin = angles.cos(), angles.sin()
    here = [t.cuda().requires_grad_() for t in (q, k)]
    there = [t.double().requires_grad_() for t in (q, k)]
    got, expected = LigerRopeFunction.apply(*here, cos.cuda(), sin.cuda()), rope(*there, cos.double()[:, None], sin.double()[:, None])
    torch.autograd.backward(got, [torch.ones_like(t) for t in got])
    torch.autograd.backward(expected, [torch.ones_like(t) for t in expected])
    errors = [error_of(a, b) for a, b in zip(got, expected)] + [error_of(a.grad, b.grad) for a, b in zip(here, there)]
    say("rotary embedding", max(errors) < 1e-5, f"(largest difference {max(errors):.1e})")


check_rope()
done()
