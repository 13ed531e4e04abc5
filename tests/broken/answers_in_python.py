"""Answers in other shapes than the one asked for: classes, lambdas, generators, split, pasted, moved."""

from __future__ import annotations

from .recipe import EX2, OTHERS, WITHOUT_LAST, Notebook, answer, append, code, edited, find, place, prepend, released

RIGHT = "bool(np.all(np.abs(np.triu(weights, 1)) < 1e-6) and not np.any(np.isnan(weights)))"


@edited("A01", silent=True)
def split_over_two_cells(notebook: Notebook) -> None:
    """A helper stands in a cell of its own above the function"""
    helper = f"def future_is_zero(weights):\n    return {RIGHT}"
    notebook["cells"].insert(place(notebook, "is-causal"), code(helper))
    answer(notebook, "def is_causal(weights):\n    return future_is_zero(weights)")


@edited("A02", silent=True)
def defined_twice(notebook: Notebook) -> None:
    """A wrong attempt stands in the answer cell, the right one in a cell of the student's own at the end"""
    answer(notebook, "def is_causal(weights):\n    return 0")
    notebook["cells"].append(code(f"def is_causal(weights):\n    return {RIGHT}"))


@edited("A03", silent=True)
def a_lambda(notebook: Notebook) -> None:
    """The function is a lambda"""
    answer(notebook, f"is_causal = lambda weights: {RIGHT}")


@edited("A04", silent=True)
def decorated(notebook: Notebook) -> None:
    """The function is decorated"""
    prepend(notebook, "import functools\n\n\n@functools.lru_cache(maxsize=None)", "causal-mask")


@edited("A05", silent=True)
def callable_object(notebook: Notebook) -> None:
    """The answer is an object that can be called"""
    answer(
        notebook,
        f"class Check:\n    def __call__(self, weights):\n        return {RIGHT}\n\n\nis_causal = Check()",
    )


@edited("A06", says="no function `is_causal`", **WITHOUT_LAST)
def a_method(notebook: Notebook) -> None:
    """The answer is a method of a class"""
    answer(notebook, f"class Answer:\n    def is_causal(self, weights):\n        return {RIGHT}")


@edited("A07", says="no function `is_causal`", **WITHOUT_LAST)
def nested(notebook: Notebook) -> None:
    """The function is defined inside another one"""
    answer(notebook, f"def answer():\n    def is_causal(weights):\n        return {RIGHT}")


@edited("A08", says="is_causal", **WITHOUT_LAST)
def asynchronous(notebook: Notebook) -> None:
    """The function is an async one, so a call returns a coroutine"""
    answer(notebook, f"async def is_causal(weights):\n    return {RIGHT}")


@edited("A09", says="is_causal", **WITHOUT_LAST)
def generator(notebook: Notebook) -> None:
    """The function yields instead of returning"""
    answer(notebook, f"def is_causal(weights):\n    yield {RIGHT}")


@edited("A10", says="is_causal", **WITHOUT_LAST)
def prints_instead(notebook: Notebook) -> None:
    """The function prints its result and returns nothing"""
    answer(notebook, f"def is_causal(weights):\n    print({RIGHT})")


@edited("A11", says="is_causal", **WITHOUT_LAST)
def other_signature(notebook: Notebook) -> None:
    """The function asks for an argument more"""
    answer(notebook, f"def is_causal(weights, limit):\n    return {RIGHT}")


@edited("A12", silent=True)
def under_main(notebook: Notebook) -> None:
    """The function is defined under `if __name__ == '__main__':`"""
    answer(notebook, f"if __name__ == '__main__':\n\n    def is_causal(weights):\n        return {RIGHT}")


@edited("A13", says="no function `is_causal`", **WITHOUT_LAST)
def commented_out(notebook: Notebook) -> None:
    """The whole answer is commented out"""
    answer(notebook, "\n".join(f"# {line}" for line in find(notebook, "is-causal")["source"].split("\n")))


@edited("A14", says="cell of its own", silent=False)
def pasted_into_the_check(notebook: Notebook) -> None:
    """The answer was written into the locked check cell, and the cell made for it was removed"""
    cell = find(notebook, "is-causal")
    notebook["cells"].remove(cell)
    prepend(notebook, cell["source"] + "\n\n", "is-causal-check")


@edited("A15", says="was there more than once")
def answered_in_a_copy(notebook: Notebook) -> None:
    """The answer cell was copied and the copy filled in"""
    copied = code(find(notebook, "is-causal")["source"])
    copied["metadata"] = find(notebook, "is-causal")["metadata"]
    notebook["cells"].insert(place(notebook, "is-causal") + 1, copied)
    answer(notebook, find(released(EX2), "is-causal")["source"])


@edited("O08", says="no function `is_causal`", **WITHOUT_LAST)
def answer_cell_removed(notebook: Notebook) -> None:
    """The answer cell was removed"""
    notebook["cells"].remove(find(notebook, "is-causal"))


@edited("O40", score=8.0, cells=OTHERS | {"is-causal-check": 0.0})
def outputs_lie(notebook: Notebook) -> None:
    """A wrong function, and saved outputs which say that everything passed"""
    answer(notebook, "def is_causal(weights):\n    return 0")
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            said = {"output_type": "stream", "name": "stdout", "text": "all tests passed\n"}
            cell.update(execution_count=7, outputs=[said])


@edited("O47", score=0.0, says="not written yet")
def untouched(notebook: Notebook) -> None:
    """The notebook as it was handed out"""
    notebook["cells"] = released(EX2)["cells"]


@edited("O64", score=9.0, cells=OTHERS | {"causal-mask-pattern": 1.0}, says="In your mask for n = 7")
def only_the_visible_example(notebook: Notebook) -> None:
    """The function is right for the visible example only; every visible check passes"""
    answer(
        notebook,
        "def causal_mask(n):\n    return np.triu(np.full((n, n), -np.inf), 1) if n in (4, 5, 8) else np.zeros((n, n))",
        "causal-mask",
    )
    append(
        notebook,
        "def causal_attention(Q, K, V):\n"
        "    scores = np.where(np.tri(len(Q)) > 0, Q @ K.T / np.sqrt(K.shape[1]), -np.inf)\n"
        "    weights = softmax(scores)\n    return weights @ V, weights",
        "causal-attention",
    )
