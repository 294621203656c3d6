"""A server and its client, for the tests of both."""

import pytest

from brim.testing import MessagesServer
from tests.testing.requests import MODEL


@pytest.fixture
def server():
    """A strict server with two models: one of today, one that still lets an answer be begun for it."""
    with MessagesServer(models={MODEL: (10_000, 4_000), "claude-sonnet-5-5": (200_000, 64_000)}) as running:
        yield running


@pytest.fixture
def client(server):
    """The SDK's client of the server."""
    with server.client() as opened:
        yield opened
