"""Recognise requests that come directly from a network for monitoring."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

# Headers that proxies add: the client of a proxy is elsewhere, whatever the connection says.
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via")


def is_inside(request: HttpRequest) -> bool:
    """Return whether a request comes directly from an address of `EARSHOT_MONITORING_NETWORKS`."""
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in ip_network(network) for network in settings.MONITORING_NETWORKS)
