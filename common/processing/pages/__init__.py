"""What a PDF, a scan and a picture have in common: pages, read one by one and never twice."""
