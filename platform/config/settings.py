"""The settings, read only from the environment; docs/settings.md is the table of them and of what plug-ins read."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import dj_database_url

from config import stores
from core import env, paths

# Problems are collected and reported together at the end.
env.begin()
ROOT: Path = paths.ROOT
VERSION = "0.2.0"
# Read by numpy at its first import. Matrices are small here; threads that wait for one another on a busy machine cost
# more than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
DATA = Path(env.text("EARSHOT_DATA") or paths.default_data()).resolve()

DEBUG = env.flag("EARSHOT_DEBUG", False)
SECRET_KEY = env.text("EARSHOT_SECRET_KEY")
if not SECRET_KEY:
    env.refuse(
        f"EARSHOT_SECRET_KEY is not set. {paths.START} makes one automatically; "
        "on a server, set it or EARSHOT_SECRET_KEY_FILE."
    )
SECRET_LENGTH = 50
if 0 < len(SECRET_KEY) < SECRET_LENGTH:
    env.mention(f"EARSHOT_SECRET_KEY has {len(SECRET_KEY)} characters; write {SECRET_LENGTH} random ones or more.")
# The first one encrypts ids of raters; the others still decrypt older ids.
IDENTITY_KEYS = env.words("EARSHOT_IDENTITY_KEYS") or [SECRET_KEY]

# Public links are built from this address, never from the Host header of a request.
BASE_URL = env.address("EARSHOT_BASE_URL", "http://127.0.0.1:8000", like="https://listening.example.org")
HTTPS = BASE_URL.startswith("https://")
ALLOWED_HOSTS = env.words("EARSHOT_ALLOWED_HOSTS") or [str(urlsplit(BASE_URL).hostname)]
CSRF_TRUSTED_ORIGINS = [BASE_URL]

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# Only accepted from this very host, so that another host of the domain can't set them.
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = (f"{'__Host-' if HTTPS else ''}{name}" for name in ("sessionid", "csrftoken"))
# Requested by this machine or a neighbour, without the proxy that adds HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^(livez|readyz|healthz|metrics)$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
BEHIND_PROXY = env.flag("EARSHOT_BEHIND_PROXY", False)
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

INSTALLED_APPS = [
    "core",
    "accounts",
    "studies",
    "raters",
    "analysis",
    "judge",
    "workspace",
    "demo",
    "quick",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
]
MIDDLEWARE = [
    "core.web.middleware.Numbered",
    # Early, so that redirects and static files get it too.
    "core.web.middleware.ContentSecurityPolicy",
    "core.web.middleware.Languages",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # Raters' most frequent requests pass none of those below.
    "core.web.middleware.Direct",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    # Last: it calls the view.
    "core.web.busy.Patient",
]
METRICS_TOKEN = env.text("EARSHOT_METRICS_TOKEN")
# Networks that may request /healthz without a token: only this machine.
MONITORING_NETWORKS = env.networks("EARSHOT_MONITORING_NETWORKS", "127.0.0.0/8,::1/128")
if METRICS_TOKEN:
    MIDDLEWARE.insert(0, "core.web.middleware.RequestMetrics")
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "workspace:home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        # A name written twice is two thirds alike; Django's own limit of 0.7 accepts it.
        ("UserAttributeSimilarityValidator", {"max_similarity": 0.6}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
    )
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "core.text.languages.marks",
            ],
        },
    },
]

# docs/deployment.md says how many connections the processes of a server may open by these.
WEB_WORKERS = env.number("EARSHOT_WEB_WORKERS", 2, least=1)
WEB_THREADS = env.number("EARSHOT_WEB_THREADS", 8, least=1)
WORKERS = env.number("EARSHOT_WORKERS", 2, least=1)
DATABASE_POOL = env.number("EARSHOT_DATABASE_POOL", 10, least=2)
DATABASE_URL = env.text("EARSHOT_DATABASE_URL", f"sqlite:///{quote(str(DATA / 'earshot.sqlite3'))}")
database: dict[str, Any] = {"ENGINE": ""}
with suppress(ValueError):  # of a scheme or a port that is none: refused below
    database = dict(dj_database_url.parse(DATABASE_URL))
# How long a statement waits for another writer of SQLite before `core.web.busy` tries again.
BUSY_SECONDS = 10
if database["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE: a deferred transaction that reads before it writes fails at once instead of waiting.
    database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": BUSY_SECONDS,
        # Deleted data are overwritten so that they can't be recovered from the file.
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA secure_delete=ON;",
    }
elif database["ENGINE"] == "django.db.backends.postgresql":
    database["ENGINE"] = "core.database.postgresql"
    database["OPTIONS"] = {
        # How soon an unreported cut is noticed: in seconds, the last one in milliseconds.
        **{"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 10_000},
        **database.get("OPTIONS", {}),
        "pool": {"min_size": 1, "max_size": DATABASE_POOL, "timeout": 20},
        "server_side_binding": True,
        "prepare_threshold": 3,
    }
else:
    env.refuse("EARSHOT_DATABASE_URL must begin with sqlite:/// or postgresql://.")
DATABASES = {"default": database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Address of the keys by which Prolific signs links; a file's path if the server can't reach the internet.
PROLIFIC_JWKS = env.text("EARSHOT_PROLIFIC_JWKS", "https://api.prolific.com/.well-known/study/jwks.json")
# An API token of Prolific may spend the account's money: it is stored only here and sent only to this address.
PROLIFIC_TOKEN = env.text("EARSHOT_PROLIFIC_TOKEN")
PROLIFIC_API = env.text("EARSHOT_PROLIFIC_API", "https://api.prolific.com").rstrip("/")
if urlsplit(PROLIFIC_API).scheme != "https" and urlsplit(PROLIFIC_API).hostname not in {"127.0.0.1", "localhost"}:
    env.refuse("EARSHOT_PROLIFIC_API must begin with https://, or the token would be read on its way.")
# The secret with which Prolific signs messages to /hooks/prolific; without it, all are rejected.
PROLIFIC_HOOK_SECRET = env.text("EARSHOT_PROLIFIC_HOOK_SECRET")

STORES = stores.stores(DATA)
STORE, FILES = stores.default(STORES)
S3_BUCKET = env.text("EARSHOT_S3_BUCKET")
# The address by which browsers reach that store; with one, they send large uploads straight there.
S3_PUBLIC_ENDPOINT = env.address("EARSHOT_S3_PUBLIC_ENDPOINT")
# Renditions from a bucket are cached on this machine's disk; a folder needs no cache.
AUDIO_CACHE = DATA / "cache"
AUDIO_CACHE_BYTES = env.number("EARSHOT_CACHE_MB", 1024) << 20 if len(STORES) > 1 else 0
STORAGES = {
    **STORES,
    "default": FILES,
    "staticfiles": {"BACKEND": "core.files.storage.StaticFiles"},
}
# Without effect since 0.2.0, and to be removed after it; a system check says so.
SENDFILE = env.text("EARSHOT_SENDFILE")
STATIC_URL = "/static/"
STATIC_ROOT = Path(env.text("EARSHOT_STATIC", str(DATA / "static")))
STATICFILES_DIRS = [ROOT / "static"]
# Clips arrive as one archive, which Django writes to disk: the limit protects the disk, not memory.
UPLOAD_LIMIT_MB = env.number("EARSHOT_UPLOAD_LIMIT_MB", 2048, least=1)
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000

# Tests have their own clock, and claim rows that they never finish.
KEEPS_LEASES = True
CELERY_BROKER_URL = env.text("EARSHOT_BROKER_URL")
CELERY_TASK_ALWAYS_EAGER = False
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
# A message is a hint: the row is the job, and the sweep finds what a lost message left behind.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Without the last three, a page that nudges a worker would wait six seconds for a broker that is down.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
SWEEP_SECONDS = env.number("EARSHOT_SWEEP_SECONDS", 5, least=1)
# A sweep that no worker took in time expires; the next one finds the same rows.
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "core.sweep", "schedule": float(SWEEP_SECONDS), "options": {"expires": 2 * SWEEP_SECONDS}}
}
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA / "beat")

# A speech model that answers the raters' question; without an address, there is none.
JUDGE_URL = env.address("EARSHOT_JUDGE_URL", like="http://127.0.0.1:8765")
JUDGE_TOKEN = env.text("EARSHOT_JUDGE_TOKEN")
JUDGE_ENGINE = env.choice("EARSHOT_JUDGE_ENGINE", "earshot", ("earshot", "vllm"))
JUDGE_PROFILE = env.text("EARSHOT_JUDGE_PROFILE")
JUDGE_MODEL = env.text("EARSHOT_JUDGE_MODEL")
JUDGE_WEIGHTS = env.text("EARSHOT_JUDGE_WEIGHTS")
JUDGE_IN_FLIGHT = env.number("EARSHOT_JUDGE_IN_FLIGHT", 8)

# A language model that drafts texts and questions; without an address, there is none. The key is sent only there.
DRAFT_URL = env.address("EARSHOT_DRAFT_URL", like="https://llm.example.org/v1")
DRAFT_MODEL = env.text("EARSHOT_DRAFT_MODEL")
DRAFT_KEY = env.text("EARSHOT_DRAFT_KEY")
# True if black-box texts may be sent there, because it stores and publishes nothing.
DRAFT_PRIVATE = env.flag("EARSHOT_DRAFT_PRIVATE", False)
# Another model for some steps. Without an address of its own it is at the first one, whose key and mark it shares.
DRAFT_SECOND_MODEL = env.text("EARSHOT_DRAFT_SECOND_MODEL")
DRAFT_SECOND_URL = env.address("EARSHOT_DRAFT_SECOND_URL", like="https://llm.example.org/v1")
DRAFT_SECOND_KEY = env.text("EARSHOT_DRAFT_SECOND_KEY")
DRAFT_SECOND_PRIVATE = env.flag("EARSHOT_DRAFT_SECOND_PRIVATE", False)
DRAFT_SECOND_STEPS = env.words("EARSHOT_DRAFT_SECOND_STEPS") or ["colloquial"]
# By step. Reasoning models count their thoughts; others stop long before these limits.
DRAFT_MAX_TOKENS = env.numbers(
    "EARSHOT_DRAFT_MAX_TOKENS", {"generate": 6000, "colloquial": 4000, "questions": 6000, "golden": 6000, "blind": 4000}
)
DRAFT_TEMPERATURE = env.numbers(
    "EARSHOT_DRAFT_TEMPERATURE", {"generate": 1.0, "colloquial": 0.9, "questions": 0.4, "golden": 0.7, "blind": 0.7}
)
for draft_name, draft_url, is_draft_private in (
    ("DRAFT", DRAFT_URL, DRAFT_PRIVATE),
    ("DRAFT_SECOND", DRAFT_SECOND_URL, DRAFT_SECOND_PRIVATE),
):
    draft_address, draft_prefix = urlsplit(draft_url), f"EARSHOT_{draft_name}"
    is_near = is_draft_private or draft_address.hostname in {"127.0.0.1", "localhost", "::1"}
    if draft_url and draft_address.scheme != "https" and not is_near:
        env.refuse(
            f"{draft_prefix}_URL must begin with https://, unless it is this machine or {draft_prefix}_PRIVATE=1."
        )
    if draft_address.username or draft_address.password or draft_address.query or draft_address.fragment:
        env.refuse(f"{draft_prefix}_URL must be an address alone; write the key into {draft_prefix}_KEY.")
if DRAFT_URL and not DRAFT_MODEL:
    env.refuse("EARSHOT_DRAFT_URL is set, and EARSHOT_DRAFT_MODEL is not; name the model.")
if DRAFT_SECOND_URL and not DRAFT_URL:
    env.refuse("EARSHOT_DRAFT_SECOND_URL is set, and EARSHOT_DRAFT_URL is not; set the first address, too.")
if unknown_steps := set(DRAFT_SECOND_STEPS) - set(DRAFT_MAX_TOKENS):
    env.refuse(
        f"EARSHOT_DRAFT_SECOND_STEPS names {', '.join(sorted(unknown_steps))}; "
        f"it can name {', '.join(DRAFT_MAX_TOKENS)}."
    )

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文"), ("ar", "العربية")]
# The languages that the pages themselves speak, by a catalogue in locale/; the others prove the layout.
CATALOGUES = ["en", "zh-hans"]
LOCALE_PATHS = [ROOT / "locale"]
USE_I18N = USE_TZ = True
TIME_ZONE = "UTC"

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "EXCEPTION_HANDLER": "core.web.api.errors",
    "DEFAULT_SCHEMA_CLASS": "accounts.api.schema.Described",
}
# Requests a minute of one API token; all web processes count together. 0: no limit.
API_RATE = env.number("EARSHOT_API_RATE", 600)
# How often one address may open studies' links within a minute, and enter wrong passwords for one name before it must
# wait. 0: no limit.
ARRIVAL_RATE = env.number("EARSHOT_ARRIVAL_RATE", 300)
SIGN_IN_RATE = env.number("EARSHOT_SIGN_IN_RATE", 10)
SPECTACULAR_SETTINGS = {
    "TITLE": "Earshot",
    "DESCRIPTION": "Studies, clips, results and exports for programs. docs/api.md says how to begin.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "StudyState": ["draft", "pilot", "live", "paused", "closed"],
        "JobProgress": ["queued", "running", "done", "failed"],
    },
}

LOG_FORMAT = env.choice("EARSHOT_LOG_FORMAT", "plain", ("plain", "json"))
LOG_LEVEL = env.choice("EARSHOT_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "core.operations.logs.PlainFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        },
        "json": {"()": "core.operations.logs.JsonFormatter"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "stream": sys.stderr}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "filters": {"without_keys": {"()": "core.operations.logs.WithoutKeys"}},
    # A refused request is the client's concern, and its path may hold a platform's id.
    "loggers": {
        "django.request": {"level": "ERROR", "filters": ["without_keys"]},
        # Addresses at a platform hold the ids of what people did there.
        "httpx": {"level": "WARNING"},
    },
}

env.finish()
