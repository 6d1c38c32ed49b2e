"""Files that callers put into the object store themselves, and that jobs take as their source."""
