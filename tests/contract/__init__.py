"""One suite per port, passed by all of its adapters."""
