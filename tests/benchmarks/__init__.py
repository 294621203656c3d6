"""Speed and growth, as ratios within one run: `python -m tests.benchmarks`, or `make bench`."""
