"""warpledger: where every byte of a GPU kernel goes, without a GPU.

    import numpy as np, warpledger as wl
    result = wl.profile(ptx, grid=(16, 16), block=(16, 16), args=(a, b, c, 256, 256, 256), gpu="rtx3090")
    result["dram__bytes_read.sum"].value

docs/python.md has examples.
"""
from warpledger._core import version as __version__
from warpledger._error import Error
from warpledger._gpu import Occupancy, gpu, gpus, occupancy
from warpledger._layout import BankConflicts, Layout, fragments
from warpledger._plan import Buffer, Plan, plan
from warpledger._profile import Finding, Launch, Metric, Profile, profile
from warpledger._sweep import Case, Outcome, sweep
from warpledger._table import Cell, Column, Table
from warpledger._tile import Optimum, TileProgram, tile

__all__ = ["BankConflicts", "Buffer", "Case", "Cell", "Column", "Error", "Finding", "Launch", "Layout", "Metric",
           "Occupancy", "Optimum", "Outcome", "Plan", "Profile", "Table", "TileProgram", "__version__", "fragments",
           "gpu", "gpus", "occupancy", "plan", "profile", "sweep", "tile"]
