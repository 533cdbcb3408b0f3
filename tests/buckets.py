"""Buckets for tests: an S3-compatible server of this process, and the settings of stores that lie in it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

KEYS = {"access_key": "key", "secret_key": "secret", "region_name": "us-east-1"}


@cache
def server() -> str:
    """Start the server, once for all tests of this process, and return its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from moto.server import ThreadedMotoServer

        moto = ThreadedMotoServer(port=0, verbose=False)
        moto.start()
    host, port = moto.get_host_and_port()
    return f"http://{host}:{port}"


def client(endpoint: str) -> Any:
    """Return what a test looks into buckets with."""
    import boto3

    keys = {"aws_access_key_id": KEYS["access_key"], "aws_secret_access_key": KEYS["secret_key"]}
    return boto3.client("s3", endpoint_url=endpoint, region_name=KEYS["region_name"], **keys)


def store(bucket: str, endpoint: str, **options: Any) -> dict[str, Any]:
    """Return a bucket as STORAGES names it."""
    fixed = {"addressing_style": "path", "file_overwrite": False, "default_acl": None, **KEYS}
    return {
        "BACKEND": "core.files.s3.S3",
        "OPTIONS": {"bucket_name": bucket, "endpoint_url": endpoint, **fixed, **options},
    }


def folder(path: Path) -> dict[str, Any]:
    """Return a folder as STORAGES names it."""
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": path}}


def side_by_side(settings: Any, first: str, **stores: dict[str, Any]) -> None:
    """Keep files in these stores; new ones in the first."""
    names = [first, *(name for name in stores if name != first)]
    both = {"BACKEND": "core.files.stores.Stores", "OPTIONS": {"names": names}}
    settings.STORAGES = {"staticfiles": settings.STORAGES["staticfiles"], **stores, "default": both}


@pytest.fixture
def endpoint() -> str:
    """Return the address of the server."""
    return server()


@pytest.fixture
def buckets(endpoint: str) -> Iterator[Any]:
    """Return a client of an empty bucket `earshot-tests` and a second one, `earshot-others`."""
    found = client(endpoint)
    for name in ("earshot-tests", "earshot-others"):
        found.create_bucket(Bucket=name)
    yield found
    for name in ("earshot-tests", "earshot-others"):
        for upload in found.list_multipart_uploads(Bucket=name).get("Uploads", []):
            found.abort_multipart_upload(Bucket=name, Key=upload["Key"], UploadId=upload["UploadId"])
        for entry in found.list_objects_v2(Bucket=name).get("Contents", []):
            found.delete_object(Bucket=name, Key=entry["Key"])
        found.delete_bucket(Bucket=name)


def names(found: Any, bucket: str = "earshot-tests") -> list[str]:
    """Return the names of a bucket's objects."""
    return [entry["Key"] for entry in found.list_objects_v2(Bucket=bucket).get("Contents", [])]
