"""Settings of the same listening test as a project of oTree, for `python -m tests.bench.cycle --peer`."""

from __future__ import annotations

SESSION_CONFIGS = [{"name": "listening", "app_sequence": ["intro", "listening"], "num_demo_participants": 1}]
SESSION_CONFIG_DEFAULTS = {"real_world_currency_per_point": 1.0, "participation_fee": 0.0}
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "GBP"
USE_POINTS = False
ADMIN_USERNAME = "admin"
SECRET_KEY = "of a benchmark"
