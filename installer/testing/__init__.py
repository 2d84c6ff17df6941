"""The suites of `./atoll test`, the features that they prove, and the benchmarks."""
