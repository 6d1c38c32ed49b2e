"""Jobs and batches: model, lifecycle, store, use-cases and the runner."""
