"""The one way out: every request this service makes leaves through the guarded client in here."""
