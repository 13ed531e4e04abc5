"""Broken and odd submissions: how each is made, what should become of it, and the table for the docs."""

import sys
from pathlib import Path

if str(Path(__file__).resolve().parents[1]) not in sys.path:  # `python -m tests.broken.table`
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
