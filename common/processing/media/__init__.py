"""Recordings: captions where there are some, else recognised speech."""
