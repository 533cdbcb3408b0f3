"""Whether a request comes straight from a network that the server is watched from."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

# What proxies add: whoever asks through one is somewhere else, whatever the connection says.
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via")


def is_inside(request: HttpRequest) -> bool:
    """Say whether nothing stands between us and an address of `EARSHOT_MONITORING_NETWORKS`."""
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in ip_network(network) for network in settings.MONITORING_NETWORKS)
