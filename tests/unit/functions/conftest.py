"""Functions are tested as users run them."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _as_users_run_them(optimised_module):
    pass
