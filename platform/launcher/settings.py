"""The environment variables that the children get; docs/settings.md explains each of them."""

from __future__ import annotations

from collections.abc import Mapping

from launcher import broker, folder
from launcher.options import Options, is_loopback
from launcher.say import LauncherError

EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104  (recognised, not bound)


def environment(options: Options, environ: Mapping[str, str]) -> dict[str, str]:
    """Return what the children run with: what was set by hand, and a sound value for everything else."""
    result = {name: value for name, value in environ.items() if name != "PYTHONPATH"}
    result["EARSHOT_DATA"] = str(options.data)
    result["DJANGO_SETTINGS_MODULE"] = "config.settings"
    result["PYTHONUNBUFFERED"] = "1"
    if not {"EARSHOT_SECRET_KEY", "EARSHOT_SECRET_KEY_FILE"} & set(result):
        result["EARSHOT_SECRET_KEY_FILE"] = str(folder.secret(options.data, "secret-key"))
    if not has_own_broker(environ):
        result["EARSHOT_BROKER_URL_FILE"] = str(broker.address_of(options.data))
    result.setdefault("EARSHOT_BASE_URL", base_url(options, environ))
    return result


def has_own_broker(environ: Mapping[str, str]) -> bool:
    """Say whether somebody else runs the broker."""
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
    """Return what must be said before others can reach this machine; raises `LauncherError` when hosts aren't named."""
    if is_loopback(options.host):
        return []
    if not environ.get("EARSHOT_ALLOWED_HOSTS", "").strip():
        raise LauncherError(
            f"With --host {options.host} others can reach this server, so say under which names: "
            f"EARSHOT_ALLOWED_HOSTS=listening.example.org ./run --host {options.host}"
        )
    if environ.get("EARSHOT_BASE_URL", "").startswith("https://"):
        return []
    return [
        "Warning: pages go out over plain HTTP, so anybody on the way can read answers and passwords. "
        "Put a proxy with HTTPS in front and set EARSHOT_BASE_URL=https://… before real raters come."
    ]
