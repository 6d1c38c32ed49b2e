"""Sessions through the real servers."""
