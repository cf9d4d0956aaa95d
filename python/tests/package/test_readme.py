"""What README.md of the package shows"""

from __future__ import annotations

import doctest
import unittest
from pathlib import Path


class Readme(unittest.TestCase):
    """Its examples print what they say."""

    def test_examples(self) -> None:
        readme = Path(__file__).resolve().parents[2] / "README.md"
        failed, tried = doctest.testfile(str(readme), module_relative=False)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 5)


if __name__ == "__main__":
    unittest.main()
