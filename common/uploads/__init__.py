"""Files that callers bring: announced here, sent straight to the object store, then used by their jobs."""
