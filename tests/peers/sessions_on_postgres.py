"""The features of sessions, run once more on a database: every example but for those that are told of files alone.

The steps are the same, and so are the features; only the place of the store is another.
"""

import pytest

from steps.collector import ROOT, FeatureModule
from steps.postgres import Schema

FOLDER = ROOT / "features" / "sessions"
OF_DATABASES = {"sql"}
"""What is told of databases to begin with."""
LEFT_OUT = {"files", "portable"}
"""Tags of what is told of files alone, or of no store at all."""


@pytest.fixture(autouse=True)
def place(database, tmp_path, monkeypatch):
    """A database in the place of the folder; it is there, and its driver loaded, before a scenario stops the clock."""
    monkeypatch.setenv("BRIM_HOME", str(tmp_path / "home"))
    place = Schema(database, tmp_path)
    yield place
    place.close()


class OnPostgres(FeatureModule):
    """A feature on a database."""

    def _getobj(self):
        """The module that the feature runs in, with another place for the store."""
        module = super()._getobj()
        module.place = place
        return module

    def collect(self):
        """What holds for every store; the rulebook counts it where it stands. The nightly run has every row."""
        begun = set()
        for item in super().collect():
            if not any(item.get_closest_marker(tag) for tag in LEFT_OUT):
                item.user_properties.clear()
                item.add_marker(pytest.mark.peers)
                if item.originalname in begun:
                    item.add_marker(pytest.mark.nightly)
                begun.add(item.originalname)
                yield item


class SessionsOnPostgres(pytest.File):
    """The features of the room, each as a module below this file."""

    def collect(self):
        """A module for each feature."""
        for feature in sorted(FOLDER.glob("*.feature")):
            if feature.stem not in OF_DATABASES:
                module = OnPostgres.from_parent(self, path=self.path.with_suffix("") / feature.name)
                module.path = feature
                yield module
