"""The table of tensor-core reports: how far each number is, and what we and ncu name as the limit."""
from validation.metrics import HEADLINES
from validation.sections import cell, table, why_not

FILES = {"private_tiles.cu", "private_tiles_integer.cu", "block_tiles.cu", "wmma_stages.cu", "mma_fp8.cu", "flash_wmma.cu", "tcgen05_sm100.cu",
         "wgmma_tma_sm90.cu"}
COLUMNS = [("L1 hit %", "L1 hit rate"), ("L2 hit %", "L2 hit rate"), ("DRAM bytes", "DRAM bytes, both ways (printed reports)"),
           ("tensor pipe %", "Tensor pipe"), ("occupancy %", "Achieved occupancy"), ("SASS instructions", "Machine instructions executed"),
           ("cycles", "Elapsed cycles"), ("Duration", "Duration")]


def limit_of(result):
    """The unit that is busy longest, as a profile names it."""
    units = result.get("units") or []
    return units[0]["unit"] if units else "-"


def tensor_section(by_case, results, cases, excepted):
    """Every case of the files above; a case that was not run says so."""
    headlines = {name: (metrics, kind) for name, metrics, kind, _ in HEADLINES}
    rows = []
    for case in cases:
        name = case["name"]
        if case["file"] not in FILES:
            continue
        if name not in results:
            rows.append([name, *["-"] * len(COLUMNS), "not run yet", case.get("named", "-")])
            continue
        if "error" in results[name]:
            rows.append([name, *["-"] * len(COLUMNS), why_not(results[name]), case.get("named", "")])
            continue
        lines = {line.metric: line for line in by_case[name]}
        rows.append([name, *[cell(lines, *headlines[value]) for _, value in COLUMNS], limit_of(results[name]), case.get("named", "-")])
    rows += [[entry["name"], *["-"] * len(COLUMNS), "not run: " + entry["reason"], "-"] for entry in excepted if entry.get("tensor")]
    return table(["report", *[title for title, _ in COLUMNS], "our limit: the busiest unit", "ncu names"], rows, "l" + "r" * len(COLUMNS) + "ll")
