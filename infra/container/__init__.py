"""The image: how it is built, started, and asked whether it is well."""
