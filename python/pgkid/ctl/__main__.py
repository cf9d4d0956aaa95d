"""Runs kidctl as `python -m pgkid.ctl`."""
import sys

from pgkid.ctl.start import main


sys.exit(main())
