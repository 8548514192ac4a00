"""The server is started by whoever runs these tests, and named in SVC_SERVER_URL; tables lie in SVC_TEST_TABLE."""

import os

import pytest

from svc_client import SvcClient


@pytest.fixture
def client():
    with SvcClient() as client:
        yield client


@pytest.fixture
def table():
    return os.environ["SVC_TEST_TABLE"]
