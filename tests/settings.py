"""The settings of tests and of the type checker: the product's own, in an environment made here.

Nothing has to be set by hand, and nothing that is set by hand leaks in: every EARSHOT_ variable but EARSHOT_TEST_… is
dropped before the product's settings are read. Child processes inherit the environment made here.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from pathlib import Path

for name in [name for name in os.environ if name.startswith("EARSHOT_") and not name.startswith("EARSHOT_TEST_")]:
    del os.environ[name]

# conftest.py makes the folder and removes it; a parallel worker's lies in that of the process that started it.
# In memory where there is room: nothing in it outlives the run, and every commit waits for a disk.
MEMORY, ROOM = Path("/dev/shm"), 4 << 30
IN_MEMORY = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
BASE = os.environ.get("EARSHOT_TEST_SCRATCH") or (MEMORY if IN_MEMORY else tempfile.gettempdir())
SCRATCH = Path(BASE) / f"earshot-tests-{secrets.token_hex(8)}"
os.environ["EARSHOT_TEST_SCRATCH"] = str(SCRATCH)
os.environ["EARSHOT_DATA"] = str(SCRATCH)
os.environ["EARSHOT_SECRET_KEY"] = "the tests' own key, which protects nothing and is long enough for every check"
os.environ["EARSHOT_BASE_URL"] = "http://testserver"
# Tests come from one address, as often as they like.
os.environ["EARSHOT_ARRIVAL_RATE"] = os.environ["EARSHOT_SIGN_IN_RATE"] = "0"
os.environ["EARSHOT_LOG_LEVEL"] = "WARNING"
# A file, not shared-cache memory: locking is part of what is tested.
os.environ["EARSHOT_DATABASE_URL"] = os.environ.get("EARSHOT_TEST_DATABASE_URL", f"sqlite:///{SCRATCH / 'db.sqlite3'}")

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, FILES  # noqa: E402

if "sqlite3" in DATABASES["default"]["ENGINE"]:
    DATABASES["default"]["TEST"] = {"NAME": str(SCRATCH / "test.sqlite3")}

KEEPS_LEASES = False
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Names of static files stay as they are written, so that nothing has to be collected first.
STORAGES = {"default": FILES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
