"""The source is Python 3.9, whatever newer Python runs it. mypy finds uses of newer libraries."""
from __future__ import annotations

import ast
import glob
import os
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


if __name__ == "__main__":
    unittest.main()
