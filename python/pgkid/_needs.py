"""Says how to install a library that a module of this package needs, if Python does not find it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(module: str, extra: str) -> Iterator[None]:
    """Lets a module import its libraries. If one is missing, raises an error that names the extra that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        text = f"{module} needs libraries that are not installed: pip install 'pgkid[{extra}]' ({error})"
        raise ModuleNotFoundError(text, name=error.name) from error
