"""Keys, rates, metrics and retention with real servers."""
