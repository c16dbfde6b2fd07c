"""Tools for the maintainers: run as `python scripts/<name>.py`, imported as `scripts.<name>`."""
