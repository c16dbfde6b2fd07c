"""What the `kolab` front door stands on; see `docs/` for how the rooms fit together."""
