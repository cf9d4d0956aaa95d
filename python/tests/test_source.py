"""The source is Python 3.9, whatever newer Python runs it, and says what each module does.

mypy finds uses of newer libraries.
"""
from __future__ import annotations

import ast
import glob
import os
import re
import unittest

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Source(unittest.TestCase):
    """All files of the folder."""

    def test_grammar(self) -> None:
        """Every file has the grammar of Python 3.9."""
        files = glob.glob(FOLDER + "/**/*.py", recursive=True) + [FOLDER + "/kidctl", FOLDER + "/manual"]
        self.assertGreater(len(files), 50)
        for path in files:
            with self.subTest(path), open(path, encoding="utf-8") as file:
                ast.parse(file.read(), path, feature_version=(3, 9))

    def test_modules(self) -> None:
        """The head of each package of kidctl has one line for each module, and for each package in it."""
        heads = glob.glob(FOLDER + "/pgkid/ctl/**/__init__.py", recursive=True)
        self.assertEqual(len(heads), 6)
        for path in heads:
            with self.subTest(path), open(path, encoding="utf-8") as file:
                listed = re.findall(r"^(\w+(?:\.py|/)) +\w", ast.get_docstring(ast.parse(file.read())) or "", re.M)
                folder = os.path.dirname(path)
                modules = {os.path.basename(module) for module in glob.glob(folder + "/*.py")} - {"__init__.py"}
                packages = {os.path.basename(os.path.dirname(p)) + "/" for p in glob.glob(folder + "/*/__init__.py")}
                self.assertEqual(sorted(listed), sorted(modules | packages))


if __name__ == "__main__":
    unittest.main()
