"""The measured sweeps, and how a line of each becomes a launch of a kernel of kernels/sweeps."""
import array
import dataclasses
from collections.abc import Callable

Row = dict[str, str]


@dataclasses.dataclass(frozen=True)
class Sweep:
    name: str  # of the .csv file
    family: str
    file: str
    kernel: Callable[[Row], str]
    gpu: str
    arguments: Callable[[Row], list[str]]
    macros: Callable[[Row], dict[str, object]]
    grid: Callable[[Row], tuple[int, ...]]
    block: Callable[[Row], tuple[int, ...]]
    is_ours: Callable[[Row], bool] = lambda row: True  # lines that our kernel can represent
    assumed: str = ""
    sampled: tuple[str, ...] = ("--max-seconds", "1")  # launches of a minute: ("--quick",)


def lower(columns):
    return lambda row: {column.upper(): row[column] for column in columns}


def up(count, step):
    return -(-count // step)


def numbers(row, *columns):
    return [int(row[column]) for column in columns]


# KTT prints grid and block, and its parameters are the kernel's macros.
def upper_case(row):
    return {name: value for name, value in row.items() if name.isupper() and value}


def printed(what):
    return lambda row: tuple(int(row[f"{what}_{axis}"]) for axis in "xyz")


# The image is 4096 x 4096, the input has a border of 7.
# Every output a thread is 225 multiply-adds in a row: what has more of them takes a minute of a processor to compile.
CONV15_OUTPUTS = 6
CONV15_ARGUMENTS = ["f32[16777216]:zero", "f32[16892100]:one"]
PNPOLY_ARGUMENTS = ["i32[20000000]:zero", "f32[40000000]:one", "i32:20000000"]  # with corners at 0 no point is between two


def ktt(name, family, file, gpu, arguments, is_ours=lambda row: True):
    return Sweep(name, family, file, lambda row: file.split(".")[0], gpu, lambda row: arguments, upper_case, printed("grid"), printed("block"), is_ours)


def is_quick(row):
    x, y = numbers(row, *(("TILE_SIZE_X", "TILE_SIZE_Y") if "TILE_SIZE_X" in row else ("tile_size_x", "tile_size_y")))
    return x * y <= CONV15_OUTPUTS


CONV15_COLUMNS = ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y")


def conv15_grid(row):
    bx, by, tx, ty = numbers(row, *CONV15_COLUMNS)
    return up(4096, bx * tx), up(4096, by * ty)


def conv15(name, gpu, assumed=""):
    """Kernel Tuner's names. Lines with padded rows are left out: our tile has none."""
    return Sweep(name, "conv15", "conv15.cu", lambda row: "conv15", gpu, lambda row: CONV15_ARGUMENTS,
                 lower((*CONV15_COLUMNS, "read_only")), conv15_grid,
                 lambda row: tuple(numbers(row, "block_size_x", "block_size_y")), lambda row: row["use_padding"] == "0" and is_quick(row), assumed)


PCIE = "the PCIe card is taken for the SXM one"

GEMM = Sweep("kt_gemm_cuda_A100", "gemm", "gemm_tuned.cu", lambda row: "gemm_tuned", "a100-40",
             lambda row: ["f32[16777216]:one", "f32[16777216]:one", "f32[16777216]:one", "i32:4096", "i32:4096", "i32:4096", "f32:1", "f32:1"],
             upper_case, lambda row: (4096 // int(row["MWG"]), 4096 // int(row["NWG"])), lambda row: tuple(numbers(row, "MDIMC", "NDIMC")), assumed=PCIE,
             sampled=("--quick",))

# number: block, rows and columns of C a block, of the ladder's kernels.
LADDER = {1: (32, 32, 32, 32), 2: (1024, 1, 32, 32), 3: (1024, 1, 32, 32), 4: (512, 1, 64, 64), 5: (256, 1, 128, 128), 6: (256, 1, 128, 128),
          7: (256, 1, 128, 128), 8: (256, 1, 128, 128), 9: (256, 1, 128, 128), 10: (128, 1, 128, 128)}
LADDER_SWEEP = Sweep("siboehm_sgemm_A6000", "sgemm ladder", "sgemm_ladder.cu", lambda row: f"sgemm_{row['kernel']}", "a6000",
                     lambda row: ["f32[16777216]:one", "f32[16777216]:one", "f32[16777216]:one", "i32:4096", "f32:0.5", "f32:3"],
                     lambda row: {}, lambda row: (4096 // LADDER[int(row["kernel"])][3], 4096 // LADDER[int(row["kernel"])][2]),
                     lambda row: LADDER[int(row["kernel"])][:2], lambda row: int(row["kernel"]) in LADDER, sampled=("--quick",))

DEDISPERSION_COLUMNS = ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y", "tile_stride_x", "tile_stride_y")
# 1536 channels of 25,650 samples.
DEDISPERSION_ARGUMENTS = ["u8[39398400]:one", "f32[51200000]:zero", "f32[1536]:@shifts"]


def write_shifts(path):
    """A channel's delay for a unit of measure, in samples of 40.96 us: the dispersion equation, 1425 MHz and 0.1953125 MHz a channel."""
    inverse = [1 / (1425 + 0.1953125 * channel) ** 2 for channel in range(1536)]
    path.write_bytes(array.array("f", [4148.808 * (one - inverse[-1]) / 0.00004096 for one in inverse]).tobytes())


def dedispersion_grid(row):
    """The measured grid is not divided by the tile: its surplus blocks leave at once, and are left out here."""
    bx, by, tx, ty = numbers(row, *CONV15_COLUMNS)
    return up(25000, bx * tx), up(2048, by * ty)


def dedispersion(name, gpu, assumed=""):
    return Sweep(name, "dedispersion", "dedispersion.cu", lambda row: "dedispersion", gpu, lambda row: DEDISPERSION_ARGUMENTS, lower(DEDISPERSION_COLUMNS),
                 dedispersion_grid, lambda row: tuple(numbers(row, "block_size_x", "block_size_y")), assumed=assumed, sampled=("--quick",))


HOTSPOT_COLUMNS = (*CONV15_COLUMNS, "temporal_tiling_factor", "loop_unroll_factor_t", "sh_power", "blocks_per_sm")
HOTSPOT = Sweep("kt_hotspot_A4000", "hotspot", "hotspot.cu", lambda row: "hotspot", "rtx3070",
                lambda row: ["f32[16941456]:one", "f32[16941456]:one", "f32[16777216]:zero", "f32:0.1", "f32:0.1", "f32:0.1", "f32:0.1"],
                lower(HOTSPOT_COLUMNS), conv15_grid, lambda row: tuple(numbers(row, "block_size_x", "block_size_y")),
                assumed="an RTX 3070: the same chip with 46 instead of 48 SMs")


SWEEPS = [
    ktt("ktt_conv15_RTX2080Ti_counters", "conv15", "conv15.cu", "kernels/sweeps/rtx2080ti.toml", CONV15_ARGUMENTS, is_quick),
    ktt("ktt_pnpoly_RTX2080Ti_counters", "pnpoly", "pnpoly.cu", "kernels/sweeps/rtx2080ti.toml", PNPOLY_ARGUMENTS),
    ktt("ktt_pnpoly_RTX3090", "pnpoly", "pnpoly.cu", "rtx3090", PNPOLY_ARGUMENTS),
    ktt("ktt_conv15_RTX3090", "conv15", "conv15.cu", "rtx3090", CONV15_ARGUMENTS, is_quick),
    conv15("kt_conv15_A100", "a100-40", PCIE),
    conv15("kt_conv15_A6000", "a6000"),
    conv15("kt_conv15_RTX3090", "rtx3090"),
    GEMM,
    HOTSPOT,
    LADDER_SWEEP,
    dedispersion("kt_dedisp_A100", "a100-40", PCIE),
    dedispersion("kt_dedisp_A6000", "a6000"),
]
