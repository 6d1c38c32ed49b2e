"""Webhooks against real receivers, with a real database."""
