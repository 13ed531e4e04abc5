"""Stands in for a package that takes two seconds to import, at the start of every nbgrader command.

jsonschema uses it, where it is there, to look at web addresses with letters beyond ASCII; notebooks hold none to check.
"""

raise ImportError("left out to save time in tests")
