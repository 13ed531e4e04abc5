"""All recipes, in the order of the table."""

from __future__ import annotations

import os

from . import answers_in_python, cells, files, running
from .recipe import Recipe, recipes_in

ALL: tuple[Recipe, ...] = tuple(
    recipe for module in (running, answers_in_python, cells, files) for recipe in recipes_in(module)
)
HERE: tuple[Recipe, ...] = tuple(recipe for recipe in ALL if not (recipe.not_as_root and os.geteuid() == 0))
