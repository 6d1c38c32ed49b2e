"""The job engine on a real mongod."""
