"""Tables and reports as people read them: text, Markdown, LaTeX and JSON."""
