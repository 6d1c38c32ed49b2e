"""Measurements; run by hand, and read as ratios of one run."""
