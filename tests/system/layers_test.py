"""tools/check-layers accepts the tree, refuses planted includes and edges, and docs/architecture.md says the same."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ROOT / "cmake/layers.txt"


def check(*arguments):
    command = [sys.executable, ROOT / "tools/check-layers", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Layers(unittest.TestCase):
    def test_the_tree_keeps_them(self):
        result = check()
        self.assertEqual(result.returncode, 0, result.stdout)

    def planted(self, folder, include):
        with tempfile.TemporaryDirectory() as name:
            place = pathlib.Path(name) / "warpledger" / folder
            place.mkdir(parents=True)
            (place / "x.cpp").write_text(f"// first\n#include {include}\n")
            return check(name, "--layers", LAYERS).stdout

    def test_a_wrong_include_is_named_with_its_line(self):
        self.assertIn("warpledger/gpu/x.cpp:2: gpu/ may not include ledger/",
                      self.planted("gpu", '"warpledger/ledger/ledger.h"'))

    def test_an_include_across_two_rooms_of_a_wing_is_refused(self):
        self.assertIn("exec/decode/x.cpp:2: exec/decode/ may not include exec/jit/",
                      self.planted("exec/decode", '"warpledger/exec/jit/runtime/engine.h"'))

    def test_llvm_outside_the_emitter_is_refused(self):
        for folder in ("memory", "exec/jit/runtime"):
            self.assertIn("may see LLVM", self.planted(folder, "<llvm/IR/Module.h>"))

    def test_an_unknown_folder_is_refused(self):
        self.assertIn("no room", self.planted("misc", "<vector>"))

    def test_nothing_lies_loose_in_a_wing(self):
        self.assertIn("no room", self.planted("profile", "<vector>"))

    def test_an_edge_that_nobody_uses_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(LAYERS.read_text().replace("race: trace", "race: trace gpu"))
            file.flush()
            result = check(ROOT, "--layers", file.name)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.strip(), "cmake/layers.txt: race/ may include gpu/, and no file of it does")

    def test_the_table_of_the_architecture_says_the_same(self):
        layers = {line[1]: line[2].split() for line in map(re.compile(r"([a-z/]+):(.*)").match,
                                                           LAYERS.read_text().splitlines()) if line}
        rows = re.findall(r"^\| `([a-z/]+)/` \|[^|]*\|([^|]*)\|$", (ROOT / "docs/architecture.md").read_text(), re.M)
        self.assertEqual({room: allowed.split() for room, allowed in rows}, layers)


if __name__ == "__main__":
    unittest.main()
