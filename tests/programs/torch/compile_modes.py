"""torch.compile: default, dynamic shapes, CUDA graphs, and flex_attention, against the same functions uncompiled."""
import sys

import torch
from torch.nn.attention.flex_attention import flex_attention

torch.manual_seed(0)


def gelu_norm(x, w):
    return torch.nn.functional.layer_norm(torch.nn.functional.gelu(x) * w, (x.shape[-1],))


def gradients(f, *inputs):
    inputs = [t.detach().clone().requires_grad_() for t in inputs]
    (f(*inputs) ** 2).sum().backward()
    return [t.grad for t in inputs]


def default():
    x, w = torch.randn(64, 256, device="cuda"), torch.randn(256, device="cuda")
    compiled = torch.compile(gelu_norm)
    torch.testing.assert_close(compiled(x, w), gelu_norm(x, w), rtol=1e-4, atol=1e-5)
    for got, want in zip(gradients(compiled, x, w), gradients(gelu_norm, x, w)):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4)


def dynamic():
    compiled = torch.compile(lambda x: (x.relu() + 1).sum(-1), dynamic=True)
    for n in (33, 64, 190):
        x = torch.randn(n, 50, device="cuda")
        torch.testing.assert_close(compiled(x), (x.relu() + 1).sum(-1), rtol=1e-4, atol=1e-4)


def graphs():
    compiled = torch.compile(lambda x, w: (x @ w).relu() + 1, mode="reduce-overhead")
    w = torch.randn(32, 32, device="cuda")
    for _ in range(4):
        x = torch.randn(16, 32, device="cuda")
        torch.testing.assert_close(compiled(x, w).clone(), (x @ w).relu() + 1, rtol=1e-4, atol=1e-4)


def tuned():
    a, b = torch.randn(128, 128, device="cuda").half(), torch.randn(128, 128, device="cuda").half()
    compiled = torch.compile(lambda a, b: (a @ b).relu(), mode="max-autotune-no-cudagraphs")
    torch.testing.assert_close(compiled(a, b), (a @ b).relu(), rtol=1e-2, atol=1e-2)


def flex():
    q, k, v = (torch.randn(1, 2, 128, 32, device="cuda") for _ in range(3))

    def causal(score, b, h, i, j):
        return torch.where(i >= j, score, -float("inf"))

    got = torch.compile(flex_attention)(q, k, v, score_mod=causal)
    want = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-2)


for name in sys.argv[1:] or ("default", "dynamic", "graphs", "tuned", "flex"):
    globals()[name]()
    print(name, "right", flush=True)
print("PASSED")
