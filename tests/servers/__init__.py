"""Real servers for tests, on free loopback ports, stopped by process id."""
