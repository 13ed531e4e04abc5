"""All recipes, in the order of the table."""

from __future__ import annotations

import os

from . import answers_in_python, cells, files, folders, formats, hanging, running
from .recipe import Recipe, recipes_in

PARTS = {
    "What hangs, dies or asks": hanging,
    "While the notebook runs": running,
    "Answers of other shapes": answers_in_python,
    "Cells": cells,
    "Formats and other programs": formats,
    "Files": files,
    "Folders and names": folders,
}
ALL: tuple[Recipe, ...] = tuple(recipe for module in PARTS.values() for recipe in recipes_in(module))
HERE: tuple[Recipe, ...] = tuple(recipe for recipe in ALL if not (recipe.not_as_root and os.geteuid() == 0))
