"""Generated code is tested as users run it."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _as_users_run_it(optimised_module):
    pass
