"""Each test here runs in Firefox and in WebKit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engines import driver
from tests.engines.driver import Tab


@pytest.fixture(scope="session", params=["firefox", "webkit"])
def tab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """Start a browser for all tests of it."""
    missing = driver.missing(request.param)
    if missing:
        pytest.skip(f"{request.param}: install the Debian packages {' '.join(missing)}")
    with getattr(driver, request.param)(tmp_path_factory.mktemp(request.param)) as opened:
        yield opened
