# .ncu-rep -> CSV on standard output, one row a metric of each launch. Run by warpledger, or by hand:
#     python3 report_module.py REPORT.ncu-rep
import csv
import glob
import os
import shutil
import sys

NO_MODULE, BAD_REPORT = 3, 4
HEADS = ["ID", "Kernel Name", "Grid Size", "Block Size", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value"]


def import_module():
    """From this Python, or from an Nsight Compute that is installed."""
    try:
        import ncu_report
        return ncu_report
    except ImportError:
        pass
    ncu = shutil.which("ncu")
    roots = [os.path.join(os.path.dirname(os.path.realpath(ncu)), up) for up in ("", "..", "../..")] if ncu else []
    roots += sorted(glob.glob("/opt/nvidia/nsight-compute/*"), reverse=True)
    for root in roots:
        folder = os.path.join(root, "extras", "python")
        if os.path.isfile(os.path.join(folder, "ncu_report.py")):
            sys.path.append(folder)
            import ncu_report
            return ncu_report
    raise ImportError("no module named 'ncu_report'")


def value_of(action, name):
    metric = action.metric_by_name(name)
    value = metric.value() if metric is not None else None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)  # a count
    return value


def triple(action, name):
    return "({})".format(", ".join(str(value_of(action, f"launch__{name}_dim_{axis}")) for axis in "xyz"))


def rows(context):
    number = 0
    for range_index in range(context.num_ranges()):
        found = context.range_by_idx(range_index)
        for action_index in range(found.num_actions()):
            action = found.action_by_idx(action_index)
            capability = [value_of(action, f"device__attribute_compute_capability_{part}") for part in ("major", "minor")]
            launch = [number, action.name(), triple(action, "grid"), triple(action, "block"), ".".join(map(str, capability))]
            for name in sorted(action.metric_names()):
                value = value_of(action, name)
                if value is not None:
                    yield launch + ["", name, action.metric_by_name(name).unit() or "", value]
            number += 1


def main():
    try:
        module = import_module()
    except ImportError as why:
        print(why, file=sys.stderr)
        return NO_MODULE
    try:
        context = module.load_report(sys.argv[1])
        if context is None or context.num_ranges() == 0:
            raise ValueError("it holds no launch")
        writer = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL)
        writer.writerow(HEADS)
        writer.writerows(rows(context))
    except Exception as why:  # of the module: whatever it throws, the file is not read
        print(f"{type(why).__name__}: {why}", file=sys.stderr)
        return BAD_REPORT
    return 0


sys.exit(main())
