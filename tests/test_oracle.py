from collections import Counter

import pytest
from oracle import NoRowError, expect_rows
from random_releases import make_release
from releases import read_files

from kolab_core.release import ReleaseError
from kolab_core.rows.experiments import EXPERIMENTS, build_rows

NUM_RELEASES = 400
NUM_PARTS = 4


def rows_or_none(make, *arguments):
    try:
        return make(*arguments)
    except (NoRowError, ReleaseError):
        return None


@pytest.mark.parametrize("part", range(NUM_PARTS))
def test_build_rows_random_releases_equal_the_brute_force_rows(part, tmp_path):
    counts = Counter()
    for seed in range(part, NUM_RELEASES, NUM_PARTS):
        files = make_release(seed)
        session = read_files(tmp_path / str(seed), files)
        for config in EXPERIMENTS:
            found = rows_or_none(build_rows, session, config)
            expected = rows_or_none(expect_rows, files, config)
            assert found == expected, f"seed {seed}, {config}"
            counts[config] += len(found or ())
            counts["no window"] += found is None
            counts["several intervals"] += sum(
                len(row["video"]["intervals"]) > 1 for row in found or ()
            )
    assert min(counts[config] for config in EXPERIMENTS) >= 20
    assert counts["no window"] >= 1
    assert counts["several intervals"] >= 50
