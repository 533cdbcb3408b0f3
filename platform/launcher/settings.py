"""Set the environment variables of the children; docs/settings.md explains each of them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from core.paths import FOLDERS, IS_CLONE, START
from launcher import broker, folder
from launcher.options import Options, is_loopback
from launcher.say import LauncherError

EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104  (recognised, not bound)


def environment(options: Options, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the children: variables that were set, and defaults for the others."""
    result = {name: value for name, value in environ.items() if name != "PYTHONPATH"}
    result["EARSHOT_DATA"] = str(options.data)
    if not IS_CLONE:
        # A clone's environment names these folders itself.
        result["PYTHONPATH"] = os.pathsep.join(map(str, FOLDERS))
    result["DJANGO_SETTINGS_MODULE"] = "config.settings"
    result["PYTHONUNBUFFERED"] = "1"
    if not {"EARSHOT_SECRET_KEY", "EARSHOT_SECRET_KEY_FILE"} & set(result):
        result["EARSHOT_SECRET_KEY_FILE"] = str(folder.secret(options.data, "secret-key"))
    if not has_own_broker(environ):
        result["EARSHOT_BROKER_URL_FILE"] = str(broker.address_of(options.data))
    result.setdefault("EARSHOT_BASE_URL", base_url(options, environ))
    return result


def has_own_broker(environ: Mapping[str, str]) -> bool:
    """Return whether the settings name a broker that another program runs."""
    return bool({"EARSHOT_BROKER_URL", "EARSHOT_BROKER_URL_FILE"} & set(environ))


def base_url(options: Options, environ: Mapping[str, str]) -> str:
    """Return the address that links are built from."""
    host = options.host
    if host in EVERYWHERE:
        host = environ.get("EARSHOT_ALLOWED_HOSTS", "").split(",")[0].strip() or "127.0.0.1"
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{options.port}"


def warnings(options: Options, environ: Mapping[str, str]) -> list[str]:
    """Return warnings for servers that others can reach; raise `LauncherError` if host names are missing."""
    if is_loopback(options.host):
        return []
    if not environ.get("EARSHOT_ALLOWED_HOSTS", "").strip():
        raise LauncherError(
            f"With --host {options.host} others can reach this server. Name its hosts: "
            f"EARSHOT_ALLOWED_HOSTS=listening.example.org {START} --host {options.host}"
        )
    if environ.get("EARSHOT_BASE_URL", "").startswith("https://"):
        return []
    return [
        "Warning: pages go out over plain HTTP, so others on the network can read answers and passwords. "
        "Put a proxy with HTTPS in front and set EARSHOT_BASE_URL=https://… before you invite raters."
    ]
