"""Real faults on the real stack. `python -m tests.faults` injects many and checks every job."""
