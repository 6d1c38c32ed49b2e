"""The embedded stack: MongoDB, SeaweedFS, gateway, workers and timer on one machine."""
