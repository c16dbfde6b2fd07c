"""What makes `load_dataset("kolab")` and `evaluate.load("kolab_…")` work from any folder."""
