"""Text from photos, scans and other pictures."""
