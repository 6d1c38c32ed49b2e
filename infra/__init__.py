"""What differs between a laptop, a container and a cloud."""
