"""The `kolab` command: `cli` and one module a subcommand, each with `add_parser(subparsers)`."""
