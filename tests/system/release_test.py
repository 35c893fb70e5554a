"""tools/check-release: a tag must agree with what the sources say."""
import pathlib
import tempfile
import unittest

from tool_module import load_tool

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tool():
    return load_tool("check-release")


class Release(unittest.TestCase):
    def faults(self, tag, version="1.2.3", cited="1.2.3", log="## Unreleased\n\n## 1.2.3 (2026-01-31)\n- a\n"):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "CMakeLists.txt").write_text(f"project(warpledger VERSION {version} LANGUAGES CXX)\n")
            (root / "CITATION.cff").write_text(f"cff-version: 1.2.0\nversion: {cited}\n")
            (root / "CHANGELOG.md").write_text(f"# Changelog\n\n{log}")
            return tool().faults_of(tag, root)

    def test_agreement_passes(self):
        self.assertEqual(self.faults("v1.2.3"), [])

    def test_each_disagreement_is_named(self):
        self.assertIn("CMakeLists.txt", self.faults("v1.2.3", version="1.2.2")[0])
        self.assertIn("CITATION.cff", self.faults("v1.2.3", cited="1.2.2")[0])
        self.assertIn("no section", self.faults("v1.2.3", log="## 1.2.3\n")[0])
        self.assertIn("Unreleased", self.faults("v1.2.3", log="## Unreleased\n- a\n\n## 1.2.3 (2026-01-31)\n")[0])

    def test_a_tag_has_three_numbers(self):
        self.assertEqual(len(self.faults("1.2.3")), 1)
        self.assertEqual(len(self.faults("v1.2")), 1)

    def test_the_sources_say_one_version(self):
        said = tool().re.search(r"warpledger VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f"\nversion: {said}\n", (ROOT / "CITATION.cff").read_text())


if __name__ == "__main__":
    unittest.main()
