import numpy as np
import pytest
from skill_studies import make_study

from kolab_core.skill import fit_skill, load_posterior, save_posterior, update_posterior

MORE = {"agents": ["agent-0", "new"], "humans": ["human-1", "new"], "outcomes": [80.0, 70.5]}


@pytest.fixture
def study():
    return make_study(num_agents=4, num_humans=12, num_sessions=50)


def fit_together(study, **options):
    columns = study.columns()
    return fit_skill(**{name: columns[name] + MORE[name] for name in columns}, **options)


def assert_same(first, second):
    for side in ("agents", "humans"):
        left, right = getattr(first, side), getattr(second, side)
        assert left.names == right.names
        np.testing.assert_allclose(left.mu, right.mu, atol=1e-9)
        np.testing.assert_allclose(left.sigma, right.sigma, atol=1e-12)
        assert left.num_sessions.tolist() == right.num_sessions.tolist()


@pytest.mark.parametrize("center", [False, True])
def test_update_equals_fitting_all_at_once(study, center):
    updated = fit_skill(**study.columns(), center=center).update(**MORE)
    assert_same(updated, fit_together(study, center=center))
    assert updated.n == 52


def test_load_posterior_gives_the_saved_bits(study, tmp_path):
    posterior = fit_skill(**study.columns(), beta=1.2, mu0=3.0, center=True)
    save_posterior(posterior, tmp_path / "skill.npz")
    loaded = load_posterior(tmp_path / "skill.npz")
    assert loaded.as_dict() == posterior.as_dict()
    assert loaded.model == posterior.model
    assert [path.name for path in tmp_path.iterdir()] == ["skill.npz"]


def test_update_posterior_replaces_the_file(study, tmp_path):
    path = tmp_path / "skill.npz"
    save_posterior(fit_skill(**study.columns()), path)
    assert_same(update_posterior(path, **MORE), fit_together(study))
    assert_same(load_posterior(path), fit_together(study))


def test_update_posterior_bad_sessions_leave_the_file_alone(study, tmp_path):
    path = tmp_path / "skill.npz"
    save_posterior(fit_skill(**study.columns()), path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"outcomes\[0\]: found nan"):
        update_posterior(path, agents=["a"], humans=["x"], outcomes=[float("nan")])
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["skill.npz"]


def test_save_posterior_failing_write_leaves_nothing_half_done(study, tmp_path, monkeypatch):
    path = tmp_path / "skill.npz"
    save_posterior(fit_skill(**study.columns()), path)
    before = path.read_bytes()

    def fail(file, **arrays):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        save_posterior(fit_skill(**study.columns(), beta=2.0), path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["skill.npz"]


def test_load_posterior_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_posterior(tmp_path / "none.npz")


@pytest.mark.parametrize("fault", ["text", "truncated", "foreign", "counts"])
def test_load_posterior_damaged_file_is_refused(study, tmp_path, fault):
    path = tmp_path / "skill.npz"
    save_posterior(fit_skill(**study.columns()), path)
    if fault == "text":
        path.write_text("agents,humans\n")
    elif fault == "truncated":
        path.write_bytes(path.read_bytes()[:200])
    elif fault == "foreign":
        np.savez(path, other=np.zeros(3))
    else:
        with np.load(path) as stored:
            arrays = dict(stored)
        arrays["pair_counts"] = arrays["pair_counts"] + 1
        np.savez(path, **arrays)
    with pytest.raises(ValueError, match="expected a posterior that `save` wrote"):
        load_posterior(path)
