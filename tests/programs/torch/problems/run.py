"""20 problems of one operator each, ten with CUDA kernels (load_inline) and ten with Triton, and a kernel that is wrong on
purpose: run.py [cuda] [triton]. `WRONG` where the judge is mistaken."""
import sys

import torch
from judge import Problem, is_right
from torch.nn import functional as F


def random(*shapes):
    return lambda: [torch.randn(shape) for shape in shapes]


def rms_norm(x, w):
    return x * (x.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt() * w


def cuda_problems():
    import cuda_text

    made = cuda_text.build()
    return [
        Problem("CUDA matmul", torch.matmul, lambda a, b: made.cuda_bmm(a[None], b[None])[0], random((65, 70), (70, 50))),
        Problem("CUDA matmul, left transposed", lambda a, b: a.T @ b, lambda a, b: made.cuda_bmm(a.T[None], b[None])[0],
                random((48, 33), (48, 40))),
        Problem("CUDA batched matmul", torch.bmm, made.cuda_bmm, random((3, 20, 36), (3, 36, 18))),
        Problem("CUDA convolution", F.conv2d, made.cuda_conv2d, random((2, 3, 14, 15), (4, 3, 3, 3))),
        Problem("CUDA depthwise convolution", lambda x, w: F.conv1d(x, w, groups=w.shape[0]), made.cuda_depthwise,
                random((2, 4, 150), (4, 1, 5))),
        Problem("CUDA max pooling", lambda x: F.max_pool2d(x, 2), lambda x: made.cuda_pool(x, True), random((2, 3, 20, 26))),
        Problem("CUDA average pooling", lambda x: F.avg_pool2d(x, 2), lambda x: made.cuda_pool(x, False), random((2, 3, 20, 26))),
        Problem("CUDA softmax", lambda x: x.softmax(-1), made.cuda_softmax, random((9, 300))),
        Problem("CUDA layer norm", lambda x, w, b: F.layer_norm(x, w.shape, w, b), made.cuda_layer_norm,
                random((9, 300), (300,), (300,))),
        Problem("CUDA squared error", F.mse_loss, made.cuda_mse, random((40, 77), (40, 77))),
    ]


def triton_problems():
    import triton_text as ours

    return [
        Problem("Triton matmul", torch.matmul, ours.matmul, random((65, 70), (70, 50))),
        Problem("Triton matmul with bias", lambda a, b, c: a @ b + c, ours.matmul, random((33, 48), (48, 40), (40,))),
        Problem("Triton matrix times vector", torch.mv, ours.matvec, random((20, 300), (300,))),
        Problem("Triton GELU", F.gelu, ours.activation("gelu"), random((1000,))),
        Problem("Triton leaky ReLU", F.leaky_relu, ours.activation("leaky_relu"), random((1000,))),
        Problem("Triton log softmax", lambda x: x.log_softmax(-1), ours.of_rows("log_softmax"), random((9, 300))),
        Problem("Triton RMS norm", rms_norm, ours.of_rows("rms_norm"), random((9, 300), (300,))),
        Problem("Triton cumulative sum", lambda x: x.cumsum(-1), ours.of_rows("cumsum"), random((9, 300))),
        Problem("Triton cross entropy", F.cross_entropy, ours.cross_entropy,
                lambda: [torch.randn(12, 50), torch.randint(50, (12,))]),
        Problem("Triton Huber loss", F.smooth_l1_loss, ours.huber, random((40, 77), (40, 77))),
        Problem("planted: a mean with the wrong divisor", lambda x: x.mean(-1), ours.padded_mean, random((9, 300))),
    ]


def main(kinds):
    problems = (cuda_problems() if "cuda" in kinds else []) + (triton_problems() if "triton" in kinds else [])
    mistaken = [p.name for p in problems if is_right(p) == p.name.startswith("planted")]
    print("WRONG: " + ", ".join(mistaken) if mistaken else f"judged {len(problems)} kernels")
    return 1 if mistaken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["cuda", "triton"]))
