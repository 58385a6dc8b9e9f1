"""What every group of tests may use."""

pytest_plugins = ["pg_fixtures"]
