"""Occupancy, GPUs, tile programs, plans, layouts."""
import pickle

import numpy as np
import pytest

import warpledger as wl


def test_occupancy_says_what_limits_and_what_helps():
    found = wl.occupancy("rtx3090", block=(16, 16), registers=42, grid=(188, 250))
    assert found.blocks_per_sm == 5 and found.limited_by == ("registers",)
    assert found.limits["registers"] == 5
    assert found.advice and "registers" in found.advice[0]
    assert "Theoretical Occupancy" in found._repr_html_()


def test_gpus_are_a_table():
    assert "rtx3090" in {row["id"] for row in wl.gpus().records()}
    assert len(wl.gpu("rtx3090")) > 20


def test_tile_programs_are_symbolic_until_sizes_are_given(root):
    program = wl.tile(root / "tiles/attention_flash.tile")
    assert isinstance(program.total, str)
    sized = wl.tile(root / "tiles/attention_flash.tile", gpu="h100", N=4096, d=64, Br=64, Bc=64)
    assert isinstance(sized.total, int) and sized.total == sum(sized.edges.values())
    assert sized.fits is True
    assert sized.ledger()["rows"]


def test_a_better_tile_program_is_found(root):
    program = wl.tile(root / "tiles/attention_tile_naive.tile")
    best = program.optimize(rules="staged")
    assert best.bytes_after < best.bytes_before
    assert wl.tile(best.program.text).name == best.program.name


def test_tile_text_with_a_fault_says_where():
    with pytest.raises(wl.Error) as fault:
        wl.tile("program x\nnonsense here\n")
    assert fault.value.where.startswith("<text>.tile:")


def test_plans_place_buffers(root):
    plan = wl.plan(root / "examples/plans/fa3-hd128.plan")
    assert plan.fits and plan.shared_bytes <= plan.shared_limit
    assert {buffer.space for buffer in plan.buffers} == {"shared"}
    assert "struct" in plan.cuda
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_a_plan_without_a_gpu_is_refused():
    with pytest.raises(wl.Error):
        wl.plan("shared a f32[16]\n")


def test_layouts_answer_both_ways():
    layout = wl.Layout("mma.m16n8k16.C.f32")
    assert layout.inputs == {"register": 4, "lane": 32} and layout.outputs == {"row": 16, "col": 8}
    assert layout(register=3, lane=5) == {"row": 9, "col": 3}
    assert layout.holders(row=9, col=3) == [{"register": 3, "lane": 5}]
    assert layout.is_linear and layout.is_injective
    assert layout.to_numpy().shape == (32, 4, 2)
    assert layout.owners()[9, 3] == 5
    assert wl.Layout(layout.bases) == layout
    assert "the lane of each element" in layout._repr_html_()
    assert pickle.loads(pickle.dumps(layout)) == layout


def test_every_point_of_a_layout_is_among_the_holders_of_its_element():
    layout = wl.Layout("wmma.m16n16k16.A.f16", arch="sm_90")
    table = layout.to_numpy()
    for lane in range(0, 32, 7):
        for register in range(layout.inputs["register"]):
            row, col = map(int, table[lane, register])
            assert {"register": register, "lane": lane} in layout.holders(row=row, col=col)


def test_bank_conflicts_and_what_removes_them():
    layout = wl.Layout("mma.m16n8k16.C.f32")
    plain = layout.banks("(16,64):(64,1)", element_bytes=4)
    assert plain.total > 0
    assert plain.remedies[0][1] < sum(plain.wavefronts)


def test_points_outside_are_refused():
    layout = wl.Layout("mma.m16n8k16.C.f32")
    for call in (lambda: layout(lane=32), lambda: layout(warp=1), lambda: wl.Layout("nonsense.name")):
        with pytest.raises(wl.Error):
            call()


def test_fragments_by_architecture():
    assert "mma.m16n8k16.A.f16" in wl.fragments("sm_80")


def test_the_table_as_text_marks_what_is_not_exact():
    table = wl.Table("t", (wl.Column("a", "a", True),), ((wl.Cell("1", 1, "modeled"),), (wl.Cell("2", 2, "exact"),)))
    assert str(table) == "t\n a\n1~\n 2"
    assert [row["a"] for row in table.records()] == [1, 2]
    assert np.array([1, 2]).tolist() == [1, 2]
