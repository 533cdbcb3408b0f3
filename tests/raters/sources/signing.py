"""A platform that signs its links: its keys, the page where it publishes them, and tokens good and bad."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

IDS = {"PROLIFIC_PID": "5f0c", "STUDY_ID": "st-1", "SESSION_ID": "se_1"}


@lru_cache(maxsize=8)
def private(name: str) -> rsa.RSAPrivateKey:
    """Return the key of this name."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public(name: str) -> dict[str, Any]:
    """Return what the platform publishes of a key."""
    found: dict[str, Any] = jwt.algorithms.RSAAlgorithm.to_jwk(private(name).public_key(), as_dict=True)
    return {**found, "kid": name, "use": "sig", "alg": "RS256"}


def pem(name: str) -> bytes:
    """Return a public key as a file of it reads."""
    return (
        private(name)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def claims(now: datetime, audience: str, ids: dict[str, str] = IDS, **changes: Any) -> dict[str, Any]:
    """Return what a link says that was made just now."""
    made = int(now.timestamp())
    return {
        "iss": "https://www.prolific.com",
        "iat": made,
        "exp": made + 120,
        "aud": audience,
        "sub": ids["SESSION_ID"],
        "prolific": {**ids, "workspace_id": "w1"},
        **changes,
    }


def signed(said: dict[str, Any], name: str = "first") -> str:
    """Return a token as the platform makes it."""
    return jwt.encode(said, private(name), algorithm="RS256", headers={"kid": name})


def part(content: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def unsigned(said: dict[str, Any]) -> str:
    """Return a token that says it needs no signature."""
    return f"{part({'alg': 'none', 'typ': 'JWT', 'kid': 'first'})}.{part(said)}."


def confused(said: dict[str, Any]) -> str:
    """Return a token whose secret is the platform's public key."""
    head = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': 'first'})}.{part(said)}"
    mac = hmac.new(pem("first"), head.encode(), hashlib.sha256).digest()
    return f"{head}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def publish(path: Path, *names: str) -> None:
    """Write down the keys that hold from now on."""
    path.write_text(json.dumps({"keys": [public(name) for name in names]}))
