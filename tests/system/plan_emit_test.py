#!/usr/bin/env python3
"""Compiles what `warpledger plan --emit cuda` writes for every example with nvcc, and asks the
compiler for sizeof and offsetof on its own: they must equal the offsets of the JSON report.

    plan_emit_test.py WARPLEDGER

Exit code 77: nvcc is not installed."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def answer(command):
    """A plan that does not fit is answered too, with exit code 1."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


def asserts(name, header, report):
    """static_asserts made from the report alone; a slot of an equally spaced ring is an element of
    one array in the header."""
    lines = []
    for table in report["tables"]:
        if table["title"] != "shared memory":
            continue
        for row in table["rows"]:
            buffer, start = row["buffer"], row["start_bytes"]
            if buffer == "total":
                lines.append(f"static_assert(sizeof({name}_smem) == {row['size_bytes']});")
                continue
            base, _, slot = buffer.rstrip("]").partition("[")
            member = f"{base}_{slot}.at"
            if slot and f"}} {base}_{slot};" not in header:
                member = f"{base}.at[{slot}]"
            elif not slot:
                member = f"{base}.at"
            lines.append(f"static_assert(offsetof({name}_smem, {member}) == {start});")
    return "\n".join(lines)


def main():
    if shutil.which("nvcc") is None:
        print("skipped: nvcc is not installed")
        return SKIPPED
    binary = sys.argv[1]
    source = ["#include <cstddef>"]
    plans = sorted((ROOT / "examples" / "plans").glob("*.plan"))
    with tempfile.TemporaryDirectory() as folder:
        for plan in plans:
            header = answer([binary, "plan", str(plan), "--emit", "cuda"])
            (pathlib.Path(folder) / f"{plan.stem}.h").write_text(header)
            report = json.loads(answer([binary, "plan", str(plan), "--json"]))
            name = next(line.split()[1] for line in plan.read_text().splitlines()
                        if line.startswith("plan "))
            source.append(f'#include "{plan.stem}.h"')
            if f"{name}_smem" in header:
                source.append(asserts(name, header, report))
        unit = pathlib.Path(folder) / "all.cu"
        unit.write_text("\n".join(source) + "\n__global__ void kernel() {}\n")
        subprocess.run(["nvcc", "-std=c++17", "-Werror", "all-warnings", "-c", "-o", "all.o",
                        str(unit)], check=True, cwd=folder)
    print(f"the headers of {len(plans)} plans compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
