"""Signed callbacks after the Standard Webhooks specification; pure parts, time and ids are passed in."""
