"""API keys: who has one, and what it allows."""
