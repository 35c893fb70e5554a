"""The cases: our kernels and launches (kernels/validation), the reports (tests/inputs/validation), the GPUs, generated inputs."""
import array
import csv
import math
import pathlib
import random
import re

import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "kernels/validation"
DATA = ROOT / "tests/inputs/validation"


def read_cases():
    with open(KERNELS / "cases.toml", "rb") as file:
        return tomllib.load(file)


def read_published(case):
    with open(DATA / f"{case['name']}.csv", newline="") as file:
        return {row["metric"]: row for row in csv.DictReader(file)}


def read_gpu(name):
    with open(ROOT / f"gpus/{name}.toml", "rb") as file:
        return tomllib.load(file)


def plain(value):
    return value["value"] if isinstance(value, dict) else value


ELEMENT_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8}


def footprint(case):
    """Bytes of all buffers."""
    total = 0
    for text in case["arguments"]:
        for name, count in re.findall(r"\b[a-z]+(\d+)\[([\dx]+)\]", text):
            total += math.prod(int(n) for n in count.split("x")) * ELEMENT_BYTES[name]
    return total


def random_walk(path):
    """4096 x 4096 bin numbers; each of a row's first 3984 differs a little from the one before."""
    draw, value, image = random.Random(1), 512, array.array("I", bytes(4 * 4096 * 4096))
    for row in range(4096):
        for column in range(3984):
            value = min(max(value + int((draw.random() - 0.5) * (draw.random() - 0.5) * 16), 0), 1023)
            image[row * 4096 + column] = value
    path.write_bytes(image.tobytes())


def argument_of(text, folder):
    if not text.endswith(":@random-walk"):
        return text
    path = folder / "random-walk.bin"
    if not path.exists():
        random_walk(path)
    return text.replace("@random-walk", f"@{path}")
