"""HTTP: routing inside a function, the envelope of every answer, and the specification."""
