"""The `secretary` command and the Python client."""
