"""kid for Python."""

__version__ = "1.0.0"
