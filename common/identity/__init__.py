"""From the headers of a request to a verified caller: one file per mode."""
