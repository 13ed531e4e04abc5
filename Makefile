# Two commands, each with all its own set-up:
#   make demo    the whole cycle on a sample class
#   make test    every test

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# For the tests of ex3b-measured-memory, which are skipped without it: `make test TORCH=` leaves it out.
TORCH ?= torch==2.13.0

.PHONY: demo test lint clean

demo: $(VENV)/.ready
	$(BIN)/course demo

test: $(VENV)/.torch
	$(BIN)/python -m pytest -n logical --dist loadfile --no-loadscope-reorder --ignore tests/hostile
	$(BIN)/python -m pytest tests/hostile  # alone: it counts the machine's processes

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(VENV)/.ready: pyproject.toml autograder/__init__.py
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version) if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

$(VENV)/.torch: $(VENV)/.ready Makefile
	test -z '$(TORCH)' || $(BIN)/python -m pip install --quiet '$(TORCH)'
	touch $@

clean:
	rm -rf $(VENV) dist .pytest_cache .ruff_cache .mypy_cache
