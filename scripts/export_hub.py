"""Write a release as a folder for the Hub: tables, recordings, card.

python scripts/export_hub.py RELEASE --repo-id NAMESPACE/kolab --revision v1.0.0 --out kolab
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from kolab_core.export import (  # noqa: E402 - after the path is set
    Exported,
    ExportError,
    HubTarget,
)
from kolab_core.export.card import CARD_NAME, TEMPLATE_NAME, list_blanks  # noqa: E402
from kolab_core.export.hub import export_hub  # noqa: E402
from kolab_core.names.location import resolve_data_dir  # noqa: E402
from kolab_core.release import ReleaseError  # noqa: E402
from kolab_core.reports.tables import render_table  # noqa: E402

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0 when the export is written, 1 when the release has errors or a file cannot be written, 2
        on a wrong argument.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        target = HubTarget(options.repo_id, options.revision)
        location = resolve_data_dir(options.release)
        exported = export_hub(
            location.root,
            target,
            options.out,
            gated=options.gated,
            copy=options.copy,
            is_sample=location.is_sample,
        )
    except (ReleaseError, OSError) as err:
        print(err, file=sys.stderr)
        return 1
    except (ExportError, ValueError) as err:
        parser.error(str(err))
    _report(exported)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="export_hub.py", description="Write a release as a folder for the Hub."
    )
    parser.add_argument("release", metavar="RELEASE", help="the release's folder")
    parser.add_argument(
        "--repo-id", required=True, metavar="NAMESPACE/kolab", help="the repository it is for"
    )
    parser.add_argument("--revision", required=True, metavar="TAG", help="the tag it is for")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument("--copy", action="store_true", help="copy recordings, never link them")
    parser.add_argument(
        "--gated", action="store_true", help="prepare the page that asks for a request"
    )
    return parser


def _report(exported: Exported) -> None:
    if exported.is_sample:
        print("SAMPLE: this export holds the synthetic sample; its card says so.\n")
    rows = [(config, size.num_rows, size.file_bytes) for config, size in exported.sizes.items()]
    print(render_table(["config", "rows", "bytes"], rows))
    recordings = list(exported.folder.glob("recordings/*"))
    total = sum(path.stat().st_size for path in recordings)
    print(f"\n{len(recordings)} recordings, {total:,} bytes")
    if missing := exported.release.missing_session_ids:
        print(f"{len(missing)} sessions are listed in the release but not there: no rows")
    blanks = list_blanks((exported.folder / CARD_NAME).read_text(encoding="utf-8"))
    if blanks:
        print(f"\nOnly the publisher knows; fill in {TEMPLATE_NAME} and export again:")
        print("\n".join(f"  {blank}" for blank in blanks))
    print(f"\n{exported.folder} is written. Next:")
    print(f"  kolab check-export {exported.folder}")
    print(f"  python scripts/publish.py {exported.folder} --dry-run")


if __name__ == "__main__":
    sys.exit(main())
