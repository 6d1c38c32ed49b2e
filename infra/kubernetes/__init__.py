"""Knative, KEDA and plain Kubernetes; what follows from template.yaml is rendered from it."""
