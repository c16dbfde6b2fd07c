import pytest

from kolab_core.files import write_whole


def test_write_whole_replaces_only_at_the_end(tmp_path):
    target = tmp_path / "deep" / "out.txt"
    with write_whole(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
        assert temporary.suffix == ".txt"
    assert target.read_text() == "new"
    assert [p.name for p in target.parent.iterdir()] == ["out.txt"]


def test_write_whole_failure_keeps_the_old_file_and_leaves_nothing(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")

    def fail_half_way():
        with write_whole(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]
