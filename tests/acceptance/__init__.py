"""What a user sees over HTTP, the same wherever Secretary runs."""
