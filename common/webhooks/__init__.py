"""Signed callbacks after the Standard Webhooks specification."""
