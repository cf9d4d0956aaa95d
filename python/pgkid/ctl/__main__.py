"""Runs kidctl as `python -m pgkid.ctl`."""
import sys

from pgkid.ctl.cli import main


sys.exit(main())
