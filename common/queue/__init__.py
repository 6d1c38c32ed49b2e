"""The hint that work exists. It may be lost, late, doubled or out of order: MongoDB is the truth."""
