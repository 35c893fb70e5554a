"""Kernel arguments: numpy arrays and scalars to the bytes that a kernel's parameters are made of."""
from __future__ import annotations

import struct
from typing import Any, Mapping, Sequence, Union

import numpy as np

from warpledger._error import Error

Arguments = Union[Sequence[Any], Mapping[str, Any]]
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def named(arguments: Arguments) -> list[tuple[str, Any]]:
    """(name, value) in the order of the parameters; without names arg1, arg2, ..."""
    if isinstance(arguments, Mapping):
        return list(arguments.items())
    return [(f"arg{i + 1}", value) for i, value in enumerate(arguments)]


def as_array(value: Any) -> Any:
    """The numpy array behind a buffer argument, sharing its memory; None if it is not a buffer."""
    if isinstance(value, np.generic):
        return None  # np.float32(2) is a scalar, though it has an array interface
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "data_ptr") and hasattr(value, "numpy"):  # a tensor of torch
        return _tensor(value)
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    return None


def _tensor(tensor: Any) -> np.ndarray:
    if str(getattr(tensor, "device", "cpu")) != "cpu":
        raise Error(f"a tensor on {tensor.device} cannot be read without that device", "pass tensor.cpu()",
                    "bad-argument")
    tensor = tensor.detach()
    if str(tensor.dtype).endswith(("bfloat16", "float8_e4m3fn", "float8_e5m2")):  # numpy has no such type
        import torch
        tensor = tensor.view(torch.int16 if tensor.element_size() == 2 else torch.int8)
    array: np.ndarray = tensor.numpy()
    return array


def raw_bytes(array: np.ndarray) -> np.ndarray:
    """The elements in row-major order, as bytes."""
    if array.dtype.hasobject:
        raise Error("an array of Python objects is not a kernel argument", "use a numeric dtype", "bad-argument")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def write_back(array: np.ndarray, data: bytes) -> None:
    """Puts what a kernel left into the caller's array; one that cannot be written stays as it is."""
    if array.flags.writeable and array.size:
        array[...] = np.frombuffer(data, dtype=array.dtype).reshape(array.shape)


def pack_scalar(name: str, value: Any, size: int, is_float: bool) -> np.ndarray:
    """The bytes of one scalar parameter of ``size`` bytes."""
    data = _scalar_bytes(name, value, size, is_float)
    if len(data) != size:
        raise Error(f"argument '{name}' has {len(data)} bytes, the kernel's parameter has {size}",
                    "use a numpy scalar to choose the type: np.int64(3), np.float16(1)", "bad-argument")
    return np.frombuffer(data, dtype=np.uint8)


def _scalar_bytes(name: str, value: Any, size: int, is_float: bool) -> bytes:
    if isinstance(value, (np.generic, bytes, bytearray)):
        return bytes(value.tobytes() if isinstance(value, np.generic) else value)
    if isinstance(value, float) or (is_float and isinstance(value, int)):
        if size not in _FLOATS:
            raise Error(f"argument '{name}' is a float, the kernel's parameter has {size} bytes", "",
                        "bad-argument")
        return struct.pack(_FLOATS[size], value)
    if isinstance(value, (bool, int)):
        return _integer_bytes(name, int(value), size)
    raise Error(f"argument '{name}' of type {type(value).__name__} is not a kernel argument",
                "pass numpy arrays, numbers or numpy scalars", "bad-argument")


def _integer_bytes(name: str, value: int, size: int) -> bytes:
    try:
        return value.to_bytes(size, "little", signed=value < 0)
    except OverflowError:
        raise Error(f"argument '{name}' = {value} does not fit the kernel's parameter of {size} bytes", "",
                    "bad-argument") from None
