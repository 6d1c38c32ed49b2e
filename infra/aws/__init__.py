"""What only AWS needs beside template.yaml."""
