"""tools/check-layers accepts the tree and refuses a planted wrong include."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECK = ROOT / "tools/check-layers"


def check(root):
    return subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)


class Layers(unittest.TestCase):
    def test_the_tree_keeps_them(self):
        result = check(ROOT)
        self.assertEqual(result.returncode, 0, result.stdout)

    def planted(self, folder, include):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "cmake").mkdir()
            (root / "cmake/layers.txt").write_text((ROOT / "cmake/layers.txt").read_text())
            (root / "warpledger" / folder).mkdir(parents=True)
            (root / "warpledger" / folder / "x.cpp").write_text(f"// first\n#include {include}\n")
            return check(root)

    def test_a_wrong_include_is_named_with_its_line(self):
        result = self.planted("gpu", '"warpledger/ledger/ledger.h"')
        self.assertEqual(result.returncode, 1)
        self.assertIn("warpledger/gpu/x.cpp:2: gpu/ may not include ledger/", result.stdout)

    def test_llvm_outside_the_engine_is_refused(self):
        self.assertEqual(self.planted("memory", "<llvm/IR/Module.h>").returncode, 1)

    def test_an_unknown_folder_is_refused(self):
        self.assertEqual(self.planted("misc", "<vector>").returncode, 1)


if __name__ == "__main__":
    unittest.main()
