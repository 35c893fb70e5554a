"""torch.compile of an MLP, a transformer block and cross entropy: what Inductor generates runs here, forward and backward."""
import torch
from checks import compare, done
from torch.nn import functional as F

torch.manual_seed(0)


def mlp(x, a, b):
    return F.gelu(x @ a).softmax(-1) @ b


def loss(x):
    return F.cross_entropy(x, torch.arange(x.shape[0], device=x.device) % x.shape[1])


def transformer_block(x, qkv, out, up, down):
    batch, length, width = x.shape
    heads = (F.layer_norm(x, (width,)) @ qkv).view(batch, length, 3, 4, width // 4).permute(2, 0, 3, 1, 4)
    mixed = F.scaled_dot_product_attention(*heads, is_causal=True).transpose(1, 2).reshape(batch, length, width)
    x = x + mixed @ out
    return x + F.gelu(F.layer_norm(x, (width,)) @ up) @ down


compare("MLP", torch.compile(mlp), torch.randn(32, 64), torch.randn(64, 128), torch.randn(128, 16), tolerance=1e-3, reference=mlp)
compare("transformer block", torch.compile(transformer_block), torch.randn(2, 24, 32), torch.randn(32, 96) / 6, torch.randn(32, 32) / 6,
        torch.randn(32, 64) / 6, torch.randn(64, 32) / 8, tolerance=1e-3, reference=transformer_block)
compare("cross entropy", torch.compile(loss), torch.randn(64, 100), tolerance=1e-5, reference=loss)
done()
