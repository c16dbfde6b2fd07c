"""From a release's records to rows: windows, the cut graph and chat, experiments, columns."""
