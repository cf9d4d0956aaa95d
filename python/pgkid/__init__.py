"""kid for Python."""
