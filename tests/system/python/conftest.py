"""What the tests of the Python package share: kernels as PTX (no compiler needed) and arrays."""
import pathlib
import shutil

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def matmul():
    """examples/profile/matmul.ptx: matmul_naive, matmul_tiled, ... of (A, B, C, m, n, k)."""
    return ROOT / "examples/profile/matmul.ptx"


@pytest.fixture
def square():
    """Arguments of a 64 x 64 matrix multiplication."""
    random = np.random.default_rng(1)
    a, b = (random.random((64, 64), dtype=np.float32) for _ in range(2))
    return {"A": a, "B": b, "C": np.zeros((64, 64), dtype=np.float32), "m": 64, "n": 64, "k": 64}


LAUNCH = {"grid": (4, 4), "block": (16, 16), "gpu": "rtx3090", "registers": 40, "sass": False}


@pytest.fixture
def launch():
    """What the profiles of 64 x 64 share."""
    return dict(LAUNCH)


@pytest.fixture(scope="session")
def nvcc():
    from warpledger import _core
    if shutil.which("nvcc") is None:
        try:
            _core.compile_cuda("/nonexistent.cu", "sm_80", [])
        except Exception as fault:
            if getattr(fault, "code", "") == "no-toolkit":
                pytest.skip("nvcc is not installed")
