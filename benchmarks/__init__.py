"""What is measured of the kit and of its subject: `python -m benchmarks` and `python -m benchmarks.gpu_memory`."""
