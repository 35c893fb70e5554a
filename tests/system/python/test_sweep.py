"""wl.sweep: the same outcomes from every executor, also when workers die."""
import concurrent.futures
import os
import pathlib
import signal
import threading
import time

import numpy as np
import pytest

import warpledger as wl

ROOT = pathlib.Path(__file__).resolve().parents[3]
PTX = str(ROOT / "examples/profile/matmul.ptx")


def cases(sides=(16, 32, 48, 64)):
    """One launch a side; the kernel is a path, so that workers read it."""
    for side in sides:
        args = (*(np.ones((side, side), dtype=np.float32) for _ in range(3)), side, side, side)
        yield {"label": side, "kernel": PTX, "name": "matmul_naive", "grid": (side // 16, side // 16),
               "block": (16, 16), "args": args, "gpu": "rtx3090", "registers": 40, "sass": False}


@pytest.fixture(scope="module")
def expected():
    return wl.sweep(cases())


def test_without_an_executor(expected):
    assert [outcome.label for outcome in expected] == [16, 32, 48, 64]
    sectors = [outcome["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"].value for outcome in expected]
    assert sectors == [n * n // 32 * n * 4 for n in (16, 32, 48, 64)]


def test_threads(expected):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert wl.sweep(cases(), pool) == expected


def test_processes(expected):
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert wl.sweep(cases(), pool) == expected


def test_a_fault_is_an_outcome(expected):
    broken = [{**case, "gpu": "rtx3099"} if case["label"] == 32 else case for case in cases()]
    outcomes = wl.sweep(broken)
    assert [outcome.error is None for outcome in outcomes] == [True, False, True, True]
    assert outcomes[1].error.code == "unknown-gpu"
    assert outcomes[2] == expected[2]


def kill_one(processes, progress):
    """Kills a worker as soon as something finished."""
    progress.wait(30)
    os.kill(next(iter(processes())), signal.SIGKILL)


def test_a_pool_that_breaks_loses_nothing(expected):
    slow = {**next(cases((192,))), "engine": "reference"}  # seconds: still running when the worker dies
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        finished = threading.Event()
        killer = threading.Thread(target=kill_one, args=(lambda: list(pool._processes), finished))
        killer.start()
        with pytest.warns(RuntimeWarning, match="computed here"):
            outcomes = wl.sweep([*cases(), slow], pool, progress=lambda _: finished.set())
        killer.join()
    assert outcomes[:4] == expected
    assert outcomes[4].error is None


def test_dask_survives_a_killed_worker(expected):
    distributed = pytest.importorskip("distributed")
    sides = (16, 32, 48, 64) * 4
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
            finished = threading.Event()

            def kill():
                finished.wait(60)
                os.kill(pids[0], signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            outcomes = wl.sweep(cases(sides), client.get_executor(), progress=lambda _: finished.set())
            killer.join()
            deadline = time.time() + 60  # the nanny starts another one
            while len(client.scheduler_info()["workers"]) < 2 and time.time() < deadline:
                time.sleep(0.1)
            assert set(client.run(os.getpid).values()) != set(pids)
    assert [outcome.label for outcome in outcomes] == list(sides)
    assert outcomes == expected * 4


def test_pandas_has_a_row_a_case(expected):
    pytest.importorskip("pandas")
    frame = expected.to_pandas("dram__bytes_read.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
    assert list(frame.index) == [16, 32, 48, 64]
    assert frame["error"].isna().all()
