"""Office documents as Markdown, read directly or through LibreOffice."""
