"""PDF to Markdown: pages, layout, pictures."""
