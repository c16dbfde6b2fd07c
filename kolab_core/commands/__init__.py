"""The `kolab` command: `cli`, shared `options`, and a module a subcommand with `add_parser`."""
