"""Speed as ratios, measured side by side: `python -m benchmarks` (see benchmarks/__main__.py)."""
