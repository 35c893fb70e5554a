"""`--aten gpu`: torch's own CUDA kernels run as machine code, and are profiled.

Operators are left as torch has them. Those whose CUDA code calls NVIDIA's closed libraries, which nothing here may
disassemble, are computed by the CPU as without the option; the end of the run says which, and how often.
"""
import json
import os

# Operators by what their names begin with, up to the overload: cuBLAS, cuDNN, cuFFT, cuSOLVER, cuSPARSE and cuSPARSELt.
_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "addbmm", "addmv", "dot", "vdot", "sspaddmm", "addmm_", "baddbmm_", "addbmm_",
             "addmv_", "_addmm_activation", "_int_mm", "_grouped_mm", "_foreach_mm", "geqrf", "ormqr", "triangular_solve")
_FAMILIES = ("_scaled_mm", "_scaled_addmm", "_scaled_grouped_mm", "linalg_", "_linalg_", "cholesky", "_cholesky", "_fft_",
             "convolution", "slow_conv", "_slow_conv", "cudnn_", "_cudnn_", "miopen_", "_cslt_", "_sparse_semi_structured",
             "_native_multi_head_attention", "_scaled_dot_product_cudnn")
_OWN = ("linalg_cross", "linalg_vector_norm", "linalg__powsum")  # of these families, and yet torch's


def is_asked() -> bool:
    """Whether the command was given `--aten gpu`."""
    with open(os.environ["WARPLEDGER_SETTINGS"]) as settings:
        return bool(json.load(settings).get("aten") == "gpu")


def calls_closed_library(name: str) -> bool:
    base = name.partition(".")[0]
    return base in _PRODUCTS or (base.startswith(_FAMILIES) and base not in _OWN)
