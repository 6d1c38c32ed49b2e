"""PDF to Markdown: a layout engine over spans with boxes and fonts. Only a worker imports its modules."""
