"""A study, turned round."""

import pytest
import xarray as xr


@pytest.fixture
def turned(study):
    """The same study, with its tournaments and their players in the reverse order."""
    made = xr.DataTree.from_dict({name: study[name] for name in list(study.children)[::-1]})
    for fit in made.children.values():
        players = fit["posterior"]["player"].to_numpy()[::-1]
        fit["posterior"] = xr.DataTree(fit["posterior"].to_dataset().sel(player=players))
    return made
