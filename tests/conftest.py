"""What several files of tests start from; a file with its own of the same name uses that one.

Each fixture imports what it needs itself, so that small tests do not wait for large libraries.
"""

from __future__ import annotations

import pytest


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """The place of a cache of the test's own, with nothing named by the environment."""
    monkeypatch.delenv("KOLAB_DATA_DIR", raising=False)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    """The small release with recordings, not to be changed."""
    from exports import make_release

    return make_release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def export(release, tmp_path_factory):
    """Its tables, with a card of YAML alone; not to be changed either."""
    from exports import make_export

    return make_export(release, tmp_path_factory.mktemp("exports") / "kolab")


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """The whole export of the embedded sample."""
    from exports import TARGET

    from kolab_core.export.hub import export_hub
    from kolab_core.names.location import find_sample

    out = tmp_path_factory.mktemp("sample") / "kolab"
    return export_hub(find_sample(), TARGET, out, is_sample=True)


@pytest.fixture
def hub_client(monkeypatch):
    """The Hub's client without Xet and offline mode, its sockets closed afterwards."""
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    yield
    huggingface_hub.close_session()
