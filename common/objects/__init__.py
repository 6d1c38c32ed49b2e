"""All bytes: results, caches, uploads and archives in an S3-compatible store."""
