"""What `scripts/bench_clip.py` stands on: its recordings, and the samplers that it compares."""
