"""Twenty steps of a small transformer with Liger's kernels on CUDA tensors; its losses follow those of plain torch on the
CPU."""
import torch
from checks import done, say
from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
from liger_kernel.ops.rms_norm import LigerRMSNormFunction
from liger_kernel.ops.swiglu import LigerSiLUMulFunction
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS, WORDS, LENGTH, BATCH, STEPS = 32, 4, 50, 16, 4, 20


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        if x.is_cuda:
            return LigerRMSNormFunction.apply(x, self.weight, 1e-6)
        return x * (x.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt() * self.weight


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([Norm(), Norm()])
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.gate, self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def attend(self, x):
        q, k, v = (t.view(BATCH, LENGTH, HEADS, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))

    def forward(self, x):
        x = x + self.attend(self.norms[0](x))
        h = self.norms[1](x)
        gate, up = self.gate(h), self.up(h)
        return x + self.down(LigerSiLUMulFunction.apply(gate, up) if x.is_cuda else F.silu(gate) * up)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.blocks = nn.Embedding(WORDS, WIDTH), nn.Sequential(Block(), Block())
        self.norm, self.head = Norm(), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, words):
        return self.head(self.norm(self.blocks(self.embed(words))))


def losses(device):
    torch.manual_seed(0)
    model = Model().to(device)  # made on the CPU: both begin with the same weights
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    words = torch.randint(0, WORDS, (STEPS, BATCH, LENGTH + 1), generator=torch.Generator().manual_seed(1))
    found = []
    for batch in words.to(device):
        logits = model(batch[:, :-1]).reshape(-1, WORDS)
        targets = batch[:, 1:].reshape(-1)
        loss = LigerCrossEntropyFunction.apply(logits, targets, None)[0] if logits.is_cuda else F.cross_entropy(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


cpu, cuda = losses("cpu"), losses("cuda")
worst = max(abs(a - b) for a, b in zip(cpu, cuda))
say("losses of 20 steps", worst < 1e-3, f"(from {cuda[0]:.4f} to {cuda[-1]:.4f}, largest difference {worst:.1e})")
done()
