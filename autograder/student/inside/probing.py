"""How a student's function is called: directly, or through a probe of the grader's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .values import Probe


def call(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call `function`; where the first argument is a probe, call that with the function and the other arguments.

    What it raises, and what the probe raises, is raised.
    """
    if not args or not isinstance(args[0], Probe):
        return function(*args, **kwargs)
    probe, *others = args
    namespace: dict[str, Any] = {"__name__": "probe"}
    exec(compile(probe.text, "<probe>", "exec"), namespace)
    return namespace[probe.name](function, *others, **kwargs)
