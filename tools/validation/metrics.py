"""Which metrics are judged, and how: the exact class, hardware counters with noise, the headline and its targets."""
import fnmatch

# Counters that follow from addresses and executed instructions alone.
EXACT = [
    "l1tex__t_requests_pipe_lsu_mem_global_op_*.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_*.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_*.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_*.sum",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_*.ratio",
    "memory_*",
    "derived__memory_*",
    "smsp__sass_*",
    "sm__sass_l1tex_*",
    "sass__inst_executed_*_loads",
    "sass__inst_executed_*_stores",
    "smsp__inst_executed_op_*.sum",
]
# Not of that class: they need the exact SASS, or time.
NOT_EXACT = ["*per_cycle*", "*per_second*", "*branch*", "smsp__sass_thread_inst_executed*", "*pct_of_peak*", "sm__sass_*.avg", "sm__sass_*.m??",
             "*_lookup_hit.sum", "*_lookup_miss.sum"]
# These of the exact class are counted by hardware, whose figures carry noise of their own.
HARDWARE = ["l1tex__t_sectors_*", "l1tex__average_t_sectors_*", "l1tex__data_*"]
HARDWARE_NOISE = 0.005

# The worst metric of a case is looked for among these, above a size where a few strays matter little.
MEMORY = ["l1tex__t_*", "l1tex__m_*", "l1tex__data_*", "lts__t_*", "dram__bytes_*", "memory_*", "smsp__sass_l1tex*", "sm__sass_l1tex*"]
LARGE = 10000

# Targets of the 90th percentile.
HIGH_TARGETS = {"L1 hit rate": 8.0, "DRAM bytes read, footprint above the L2": 15.0, "Duration": 30.0}
# With 20 values, two make the 90th percentile; and CI's subset is of the smallest launches, whose duration is mostly overhead.
ENOUGH = 40
FULL_SET_ONLY = {"Duration"}
# The headline: name, metric names in order of preference, how the error is measured, target of the median.
HEADLINES = [
    ("L1 hit rate", ["l1tex__t_sector_hit_rate.pct"], "points", 2.0),
    ("L2 sectors of the SMs", ["lts__t_sectors_srcunit_tex.sum"], "percent", 2.0),
    ("L2 hit rate", ["lts__t_sector_hit_rate.pct"], "points", 4.0),
    ("L2 read hits", ["lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "lts__t_sectors_op_read_lookup_hit.sum"], "percent", None),
    ("DRAM bytes read", ["dram__bytes_read.sum"], "percent", None),
    ("DRAM bytes read, footprint above the L2", ["dram__bytes_read.sum"], "percent", 3.0),
    ("DRAM bytes, both ways (printed reports)", ["dram__bytes.sum"], "percent", None),
    ("DRAM bytes written", ["dram__bytes_write.sum"], "percent", None),
    ("Duration", ["gpu__time_duration.sum"], "percent", 10.0),
    ("Elapsed cycles", ["gpc__cycles_elapsed.max", "sm__cycles_elapsed.max"], "percent", None),
    ("Machine instructions executed", ["smsp__inst_executed.sum", "inst_executed"], "percent", None),
    ("Memory throughput", ["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"], "points", None),
    ("Compute throughput", ["sm__throughput.avg.pct_of_peak_sustained_elapsed"], "points", None),
    ("Tensor pipe", ["sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
                     "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"], "points", None),
    ("Achieved occupancy", ["sm__warps_active.avg.pct_of_peak_sustained_active"], "points", None),
]
# Accel-Sim 1.0 on V100, 80 applications: Khairy et al., ISCA 2020, table VII: normalized root mean square error, correlation.
ACCEL_SIM = {"L1 hit rate": (0.76, 0.87), "L2 read hits": (0.47, 0.99), "DRAM bytes read": (0.92, 0.96), "L2 sectors of the SMs": (0.03, 1.00)}


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns)


def is_exact(metric):
    return matches(metric, EXACT) and not matches(metric, NOT_EXACT)


def is_rate(metric, unit):
    return unit == "%" or metric.endswith(".pct")
