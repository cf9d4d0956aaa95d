"""Starts kidctl, or says which library it lacks."""
from __future__ import annotations

import sys

# The package of Debian and the one of pip that contain a module
PACKAGES = {
    "psycopg": ("python3-psycopg", "psycopg[binary]>=3.1"),
    "typing_extensions": ("python3-typing-extensions", "typing_extensions"),
    "rich": ("python3-rich", "rich>=12"),
}


def main() -> int:
    """Runs kidctl, and returns its exit status, which is 2 if a library is missing."""
    try:
        from pgkid.ctl import cli
    except ImportError as error:
        text = missing(error)
        if not text:
            raise
        print(f"kidctl: error: {text}", file=sys.stderr)
        return 2
    return cli.main()


def missing(error: ImportError) -> str:
    """Returns one line about a library that cannot be imported, or an empty string for a module of this package."""
    name = (error.name or "").split(".")[0]
    if name == "pgkid":
        return ""
    python = sys.executable or "python3"
    said = f"{python} has no module {name}" if isinstance(error, ModuleNotFoundError) else " ".join(str(error).split())
    if name not in PACKAGES:
        return said  # psycopg names no module if it finds no libpq.
    debian, pip = PACKAGES[name]
    return f"{said}: run apt install {debian} if this is Debian's own Python, or {python} -m pip install '{pip}'"
