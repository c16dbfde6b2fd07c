"""One module a subcommand of `kolab`; each has `add_parser(subparsers)`."""
