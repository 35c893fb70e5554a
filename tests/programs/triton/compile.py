#!/usr/bin/env python3
"""Compiles the kernels of kernels.py to PTX without a GPU and without torch.

    compile.py FOLDER [sm ...]

Needs `pip install triton==3.9.0`. Writes FOLDER/<kernel>.sm<NN>.ptx and the launch metadata beside it
as .json.
"""
import json
import pathlib
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import kernels

HALF_TILES = {"BM": 128, "BN": 128, "BK": 64}
# name -> (signature, constants, indices of arguments divisible by 16, options, first sm)
CASES = {
    "add": (dict(x_ptr="*fp32", y_ptr="*fp32", out_ptr="*fp32", n="i32"), {"BLOCK": 1024},
            [0, 1, 2, 3], {"num_warps": 4}, 80),
    "softmax": (dict(out_ptr="*fp32", in_ptr="*fp32", in_stride="i32", out_stride="i32", rows="i32",
                     columns="i32"), {"BLOCK": 1024}, [0, 1, 2, 3], {"num_warps": 8, "num_stages": 2}, 80),
    "matmul": (dict(a_ptr="*fp16", b_ptr="*fp16", c_ptr="*fp16", M="i32", N="i32", K="i32",
                    stride_a="i32", stride_b="i32", stride_c="i32"), HALF_TILES,
               list(range(9)), {"num_warps": 8, "num_stages": 3}, 80),
    "matmul_tma": (dict(a="tensordesc<fp16[128,64]>", b="tensordesc<fp16[128,64]>",
                        c="tensordesc<fp16[128,128]>", K="i32"), HALF_TILES, [],
                   {"num_warps": 8, "num_stages": 3}, 90),
    "flash": (dict(q_ptr="*fp16", k_ptr="*fp16", v_ptr="*fp16", out_ptr="*fp16", scale="fp32",
                   stride_head="i32", stride_row="i32", sequence="i32"), {"BM": 128, "BN": 64, "D": 64},
              [0, 1, 2, 3, 5, 6, 7], {"num_warps": 4, "num_stages": 3}, 80),
}


def plain(value):
    return value if isinstance(value, (int, float, str, bool, list, tuple, type(None))) else str(value)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for sm in map(int, sys.argv[2:] or (80, 90, 100, 120)):
        for name, (signature, constants, divisible, options, first) in CASES.items():
            if sm < first:
                continue
            types = signature | dict.fromkeys(constants, "constexpr")
            attributes = {(i,): [["tt.divisibility", 16]] for i in divisible}
            source = ASTSource(fn=getattr(kernels, name), signature=types, constexprs=constants,
                               attrs=attributes)
            compiled = triton.compile(source, target=GPUTarget("cuda", sm, 32), options=options)
            stem = folder / f"{name}.sm{sm}"
            stem.with_suffix(stem.suffix + ".ptx").write_text(compiled.asm["ptx"])
            metadata = {key: plain(value) for key, value in compiled.metadata._asdict().items()}
            stem.with_suffix(stem.suffix + ".json").write_text(json.dumps(metadata, indent=1))
            print(stem.name, len(compiled.asm["ptx"]), "bytes")


if __name__ == "__main__":
    main()
