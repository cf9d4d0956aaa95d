"""What a module says if the library that it needs is not installed"""

from __future__ import annotations

import subprocess
import sys
import unittest
from importlib.metadata import metadata

#: Modules, the libraries that they need, and the extras of the package that install these.
MODULES = {
    "pgkid.consumer": ("psycopg", "psycopg"),
    "pgkid.worker": ("psycopg", "psycopg"),
    "pgkid.psycopg": ("psycopg", "psycopg"),
    "pgkid.psycopg2": ("psycopg2", "psycopg2"),
    "pgkid.sqlalchemy": ("sqlalchemy", "sqlalchemy"),
    "pgkid.alembic": ("sqlalchemy", "sqlalchemy"),
    "pgkid.django": ("django", "django"),
    "pgkid.pandas": ("pandas", "pandas"),
    "pgkid.seal": ("cryptography", "seal"),
}

PROGRAM = """
import importlib, sys
sys.modules[sys.argv[1]] = None      # as if it were not installed
try:
    importlib.import_module(sys.argv[2])
except ImportError as error:
    print(type(error).__name__, error.name, error)
"""


class Missing(unittest.TestCase):
    def test_missing(self) -> None:
        extras = metadata("pgkid").get_all("Provides-Extra") or []
        for module, (library, extra) in MODULES.items():
            with self.subTest(module=module):
                self.assertIn(extra, extras)
                arguments = [sys.executable, "-c", PROGRAM, library, module]
                said = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
                self.assertRegex(said, rf"^ModuleNotFoundError {library}\b.*pip install 'pgkid\[{extra}\]'")

    def test_without_libraries(self) -> None:
        """Modules that need no library, as asyncpg passes its connection"""
        for module in ("pgkid.ids", "pgkid.asyncpg"):
            arguments = [sys.executable, "-S", "-c", f"import sys; sys.path = {sys.path!r}; import {module}"]
            subprocess.run(arguments, check=True)


if __name__ == "__main__":
    unittest.main()
