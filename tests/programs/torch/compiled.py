"""torch.compile of an MLP and of cross entropy: what Inductor generates runs here, forward and backward."""
import torch
from checks import compare, done
from torch.nn import functional as F

torch.manual_seed(0)


def mlp(x, a, b):
    return F.gelu(x @ a).softmax(-1) @ b


def loss(x):
    return F.cross_entropy(x, torch.arange(x.shape[0], device=x.device) % x.shape[1])


compare("MLP", torch.compile(mlp), torch.randn(32, 64), torch.randn(64, 128), torch.randn(128, 16), tolerance=1e-3, reference=mlp)
compare("cross entropy", torch.compile(loss), torch.randn(64, 100), tolerance=1e-5, reference=loss)
done()
