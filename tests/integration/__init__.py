"""Several parts together, on real servers."""
