from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import cache

import pytest

from core.paths import ROOT

BASE = {"EARSHOT_SECRET_KEY": "a key for this test alone, as long as the deployment check wants keys to be"}
SHOW = """
import json, django
from django.conf import settings
names = ("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "SESSION_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS",
         "DEBUG", "CELERY_ACCEPT_CONTENT", "CELERY_TASK_SERIALIZER")
found = {name: getattr(settings, name) for name in names}
print(json.dumps(found | {"options": settings.DATABASES["default"]["OPTIONS"]}))
"""


def python(code, tmp_path, **environ):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("EARSHOT_", "DJANGO_"))}
    clean |= {"EARSHOT_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings", **environ}
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=clean, capture_output=True, text=True)


@cache
def shown(*environ):
    with tempfile.TemporaryDirectory() as data:
        done = python(SHOW, data, **{**BASE, **dict(environ)})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def read(**environ):
    """Return the settings of a process that was started with these; the same are asked once."""
    return shown(*environ.items())


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"EARSHOT_SECRET_KEY": ""}, "EARSHOT_SECRET_KEY is not set"),
        ({"EARSHOT_BASE_URL": "listening.example.org"}, "write it like https://listening.example.org"),
        ({"EARSHOT_DATABASE_URL": "mysql://x/y"}, "must begin with sqlite:/// or postgresql://"),
        ({"EARSHOT_DRAFT_URL": "http://llm.example.org", "EARSHOT_DRAFT_MODEL": "m"}, "must begin with https://"),
        ({"EARSHOT_DRAFT_URL": "https://a:b@llm.example.org", "EARSHOT_DRAFT_MODEL": "m"}, "must be an address alone"),
        ({"EARSHOT_DRAFT_URL": "https://llm.example.org"}, "EARSHOT_DRAFT_MODEL is not"),
        ({"EARSHOT_DRAFT_SECOND_URL": "https://llm.example.org"}, "EARSHOT_DRAFT_URL is not; set the first"),
        ({"EARSHOT_DRAFT_SECOND_STEPS": "blind,judge"}, "EARSHOT_DRAFT_SECOND_STEPS names judge"),
        ({"EARSHOT_DRAFT_MAX_TOKENS": "blind=many"}, "write a positive number or none"),
        ({"EARSHOT_DRAFT_TEMPERATURE": "judge=1"}, "it can set generate, colloquial, questions, golden, blind"),
    ],
)
def test_a_setting_that_cannot_work_stops_the_start_and_says_what_to_write(tmp_path, environ, message):
    done = python("from django.conf import settings; settings.DEBUG", tmp_path, **{**BASE, **environ})
    assert done.returncode != 0
    assert message in done.stderr.splitlines()[-1]


def test_limits_and_temperatures_are_set_for_all_steps_or_for_some(tmp_path):
    environ = {"EARSHOT_DRAFT_MAX_TOKENS": "9000, blind=20000", "EARSHOT_DRAFT_TEMPERATURE": "questions=none,blind=0.6"}
    names = "[settings.DRAFT_MAX_TOKENS, settings.DRAFT_TEMPERATURE]"
    show = f"import json; from django.conf import settings; print(json.dumps({names}))"
    done = python(show, tmp_path, **{**BASE, **environ})
    tokens, temperatures = json.loads(done.stdout)
    assert tokens == {"generate": 9000, "colloquial": 9000, "questions": 9000, "golden": 9000, "blind": 20000}
    assert temperatures == {"generate": 1.0, "colloquial": 0.9, "questions": None, "golden": 0.7, "blind": 0.6}


WRONG = {
    "EARSHOT_SECRET_KEY": "",
    "EARSHOT_BASE_URL": "listening.example.org",
    "EARSHOT_DATABASE_URL": "mysql://x/y",
    "EARSHOT_BROKER_URL_FILE": "/nowhere/broker",
    "EARSHOT_BEHIND_PROXY": "perhaps",
    "EARSHOT_WEB_THREADS": "many",
    "EARSHOT_DATABASE_POOL": "1",
    "EARSHOT_S3_BUCKET": "clips",
    "EARSHOT_S3_ACCESS_KEY": "alone",
    "EARSHOT_S3_ENDPOINT": "store:8333",
    "EARSHOT_S3_ENCRYPTION": "rot13",
    "EARSHOT_STORE": "attic",
    "EARSHOT_LOG_FORMAT": "yaml",
}


def test_everything_that_is_wrong_is_told_at_once_one_sentence_each(tmp_path):
    done = python("from django.conf import settings; settings.DEBUG", tmp_path, **{**BASE, **WRONG})
    assert done.returncode != 0
    told = done.stderr.splitlines()
    for name in WRONG.keys() - {"EARSHOT_S3_BUCKET"}:
        assert any(line.startswith(name) and line.endswith(".") for line in told), name


def test_a_short_key_is_told_with_the_other_settings(tmp_path):
    environ = {"EARSHOT_SECRET_KEY": "short", "EARSHOT_WEB_WORKERS": "x"}
    done = python("from django.conf import settings; settings.DEBUG", tmp_path, **{**BASE, **environ})
    told = done.stderr.splitlines()[-2:]
    assert told == [
        "EARSHOT_WEB_WORKERS is 'x'; write a whole number.",
        "EARSHOT_SECRET_KEY has 5 characters; write 50 random ones or more.",
    ]


def test_a_web_process_and_a_worker_stop_at_settings_that_cannot_work_together(tmp_path):
    environ = {
        **BASE,
        "EARSHOT_SECRET_KEY": "short",
        "EARSHOT_BASE_URL": "https://listening.example.org",
        "EARSHOT_ALLOWED_HOSTS": "another.example.org",
    }
    wanted = ["EARSHOT_SECRET_KEY has 5", "EARSHOT_ALLOWED_HOSTS lacks", "set EARSHOT_BEHIND_PROXY=1"]
    worker = "from celery.__main__ import main; import sys; sys.argv = ['celery', '-A', 'config.celery', {!r}]; main()"
    codes = {"web": "import config.wsgi", "worker": worker.format("worker"), "beat": worker.format("beat")}
    for process, code in codes.items():
        done = python(code, tmp_path, **environ)
        assert done.returncode != 0, process
        lacks = ["EARSHOT_BROKER_URL is not set"] if process != "web" else []
        for words in [*wanted, *lacks]:
            assert words in done.stderr, (process, words, done.stderr)


def test_debug_is_off_and_workers_take_json_alone():
    found = read()
    assert found["DEBUG"] is False
    assert found["CELERY_ACCEPT_CONTENT"] == ["json"]
    assert found["CELERY_TASK_SERIALIZER"] == "json"


def test_the_hosts_answered_for_are_those_of_the_base_url():
    found = read(EARSHOT_BASE_URL="https://listening.example.org/")
    assert found["ALLOWED_HOSTS"] == ["listening.example.org"]
    assert found["CSRF_TRUSTED_ORIGINS"] == ["https://listening.example.org"]


def test_https_in_the_base_url_switches_every_https_rule_on():
    plain, secure = read(), read(EARSHOT_BASE_URL="https://listening.example.org")
    names = ("SESSION_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS")
    assert not any(plain[name] for name in names)
    assert all(secure[name] for name in names)


def test_sqlite_takes_its_write_lock_at_once_and_reaches_the_disk():
    options = read()["options"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]
    assert "synchronous=FULL" in options["init_command"]


def test_the_web_process_starts_without_the_heavy_libraries(tmp_path):
    code = """
import config.wsgi, config.urls, sys
from django.urls import get_resolver
get_resolver().url_patterns
print(*sorted({"torch", "transformers", "pandas", "scipy", "statsmodels", "matplotlib"} & set(sys.modules)))
"""
    done = python(code, tmp_path, **BASE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_the_deployment_check_is_clean_with_production_settings(tmp_path):
    code = "import sys; from django.core.management import execute_from_command_line as run; run(sys.argv[:1] + {})"
    arguments = ["check", "--deploy", "--fail-level=WARNING"]
    behind = {"EARSHOT_BASE_URL": "https://listening.example.org", "EARSHOT_BEHIND_PROXY": "1"}
    done = python(code.format(arguments), tmp_path, **BASE, **behind)
    assert done.returncode == 0, done.stderr
