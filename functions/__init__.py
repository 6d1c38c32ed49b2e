"""One folder is one deployed function; its main.py holds the entry point."""
