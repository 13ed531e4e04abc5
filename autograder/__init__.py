"""The grading engine of the attention course."""

__version__ = "0.1.0"
