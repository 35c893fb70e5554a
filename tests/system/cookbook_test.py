#!/usr/bin/env python3
"""Profiles of the cookbook's examples have the wavefronts that the layout engine predicts.

    cookbook_test.py WARPLEDGER

Every `warpledger layout banks` line of docs/layout-cookbook.md becomes a kernel of one warp that accesses
shared memory at just those places; the wavefronts that `warpledger profile` counts must be those of
`layout banks`. Places are worked out here, independently of both.
"""
import json
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADS = {2: "ld.shared.u16 %r3, [%r2];", 4: "ld.shared.b32 %r3, [%r2];", 8: "ld.shared.v2.b32 {%r3, %r4}, [%r2];",
         16: "ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [%r2];"}
LDMATRIX = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];"
KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry probe(.param .u64 places, .param .u64 out) {{
  .reg .b32 %r<10>; .reg .b64 %rd<8>;
  .shared .align 128 .b8 tile[32768];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  ld.param.u64 %rd2, [places]; ld.param.u64 %rd3, [out];
  add.s64 %rd4, %rd2, %rd1; add.s64 %rd5, %rd3, %rd1;
  ld.global.u32 %r2, [%rd4];
  mov.u32 %r7, tile; add.s32 %r2, %r2, %r7;
  {load}
  st.global.b32 [%rd5], %r3;
  ret;
}}
"""


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(map(str, command))}: {done.stderr}")
    return done.stdout


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def element_of(tile, row, col):
    """The element's number under '[Swizzle<B,M,S> o] (shape):(strides)'."""
    swizzle, _, plain = tile.rpartition(" o ")
    strides = numbers(plain.partition(":")[2])
    at = row * strides[0] + col * strides[1]
    if swizzle:
        bits, base, shift = numbers(swizzle)
        at ^= (at >> shift) & (((1 << bits) - 1) << base)
    return at


def coordinates(what, lane, register):
    """(row, column) of the lane: by formula, or of the one fragment that the cookbook uses."""
    if what == "mma.m16n8k8.A.tf32":
        return lane // 4 + 8 * (register % 2), lane % 4 + 4 * (register // 2)
    names = {"lane": lane}
    for part in what.split(";"):
        name, _, formula = part.partition("=")
        names[name.strip()] = eval(formula.replace("/", "//"), {"__builtins__": {}}, names)
    return names["row"], names["col"]


def options_of(words):
    found = {"bits": 32, "bytes": None, "tile": None, "ldmatrix": "--ldmatrix" in words}
    for name in ("bits", "bytes", "tile"):
        if f"--{name}" in words:
            value = words[words.index(f"--{name}") + 1]
            found[name] = value if name == "tile" else int(value)
    return found


def counted(binary, folder, load, places):
    (folder / "kernel.ptx").write_text(KERNEL.format(load=load))
    (folder / "places.bin").write_bytes(struct.pack("<32I", *places))
    metric = "memory_l1_wavefronts_shared"
    out = run([binary, "profile", folder / "kernel.ptx", "--kernel", "probe", "--gpu", "a100", "--grid", "1",
               "--block", "32", "--regs", "32", "--no-sass", "--arg", f"u32[32]:@{folder / 'places.bin'}", "--arg",
               "u32[32]", "--metrics", metric, "--csv", "--no-store"])
    line = next(line for line in out.splitlines() if metric in line)
    return int(re.findall(r'"([\d,]+)"$', line)[0].replace(",", ""))


def check(binary, folder, words):
    """(predicted, counted) wavefronts of each instruction."""
    options = options_of(words)
    report = json.loads(run([binary, "layout", "banks", *words, "--json"]))
    result = []
    for row in report["tables"][0]["rows"]:
        if not isinstance(row["instruction"], int):
            continue
        places = []
        for lane in range(32):
            at = coordinates(words[0], lane, row["instruction"])
            places.append(element_of(options["tile"], *at) * options["bits"] // 8)
        load = LDMATRIX if options["ldmatrix"] else LOADS[row["lane_bytes"]]
        result.append((row["wavefronts"], counted(binary, folder, load, places)))
    return result


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    text = (ROOT / "docs/layout-cookbook.md").read_text()
    commands = re.findall(r"^\$ warpledger layout banks (.*?)(?: \| head.*)?$", text, re.M)
    failures = instructions = 0
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            words = [word for word in shlex.split(command) if word != "--fix"]
            pairs = check(binary, pathlib.Path(folder), words)
            instructions += len(pairs)
            for predicted, seen in pairs:
                if predicted != seen:
                    failures += 1
                    print(f"layout banks {command}: {predicted} wavefronts predicted, {seen} profiled")
    print(f"{len(commands)} examples, {instructions} instructions, {failures} differ")
    return 1 if failures or not commands else 0


sys.exit(main())
