"""Operators that only CUDA has, computed from others."""
from typing import Any, Callable, Dict

KERNELS: Dict[str, Callable[..., Any]] = {}
