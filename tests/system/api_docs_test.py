"""tools/api-docs: comments of a header as Doxygen takes them."""
import pathlib
import unittest

from tool_module import load_tool

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tool():
    return load_tool("api-docs")


class Comments(unittest.TestCase):
    def test_the_first_comment_describes_the_file(self):
        self.assertEqual(tool().for_doxygen("// One\n// two.\n#pragma once\n// Later.\nint x;\n"),
                         "/// \\file\n/// One\n/// two.\n#pragma once\n/// Later.\nint x;\n")

    def test_a_comment_behind_a_member_is_the_members(self):
        self.assertEqual(tool().for_doxygen("struct A {\n  int n = 0;  // 0: all\n};\n"), "struct A {\n  int n = 0;  ///< 0: all\n};\n")

    def test_signs_that_doxygen_reads_are_plain_text(self):
        self.assertEqual(tool().for_doxygen("int a;\n/// Pre: x < y @ z\nint b;\n"), "int a;\n/// Pre: x \\< y \\@ z\nint b;\n")

    def test_the_end_of_a_namespace_is_no_description(self):
        self.assertEqual(tool().for_doxygen("int a;\n}  // namespace warpledger\n"), "int a;\n}  // namespace warpledger\n")

    def test_every_public_header_is_listed(self):
        listed = [header for _, headers in tool().public_headers() for header in headers]
        text = (ROOT / "cmake/public_headers.txt").read_text()
        self.assertEqual(listed, [line for line in text.splitlines() if line.startswith("warpledger/")])


if __name__ == "__main__":
    unittest.main()
