"""Make the private bucket that files are kept in."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Make the bucket of EARSHOT_S3_BUCKET where it is missing; without one set, there is nothing to do."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.S3_BUCKET:
            self.stdout.write("Files are kept in a folder; no bucket is needed.")
            return
        from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

        client: Any = default_storage.connection.meta.client  # type: ignore[attr-defined]
        try:
            if any(bucket["Name"] == settings.S3_BUCKET for bucket in client.list_buckets()["Buckets"]):
                self.stdout.write(f"The bucket {settings.S3_BUCKET} is there.")
                return
            client.create_bucket(Bucket=settings.S3_BUCKET)
        except (BotoCoreError, ClientError) as error:
            raise CommandError(f"The bucket {settings.S3_BUCKET} can't be made: {error}") from error
        self.stdout.write(f"Made the bucket {settings.S3_BUCKET}.")
