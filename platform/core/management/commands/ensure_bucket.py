"""Create the private bucket that files are stored in."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = (
        "Create the bucket of EARSHOT_S3_BUCKET if it is missing, and let browsers send parts of uploads to it if "
        "EARSHOT_S3_PUBLIC_ENDPOINT is set; without a bucket, there is nothing to do."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.S3_BUCKET:
            self.stdout.write("Files are stored in a folder; no bucket is needed.")
            return
        from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

        client: Any = storages["s3"].connection.meta.client  # type: ignore[attr-defined]
        try:
            if any(bucket["Name"] == settings.S3_BUCKET for bucket in client.list_buckets()["Buckets"]):
                self.stdout.write(f"The bucket {settings.S3_BUCKET} exists.")
            else:
                client.create_bucket(Bucket=settings.S3_BUCKET)
                self.stdout.write(f"Created the bucket {settings.S3_BUCKET}.")
            if settings.S3_PUBLIC_ENDPOINT:
                client.put_bucket_cors(Bucket=settings.S3_BUCKET, CORSConfiguration={"CORSRules": [rule()]})
                self.stdout.write(f"Pages of {settings.BASE_URL} may send parts of uploads to it.")
        except (BotoCoreError, ClientError) as error:
            raise CommandError(f"The bucket {settings.S3_BUCKET} can't be created: {error}") from error


def rule() -> dict[str, Any]:
    """Return the CORS rule for browsers on our pages: PUT to a signed URL, and nothing else."""
    return {"AllowedOrigins": [settings.BASE_URL], "AllowedMethods": ["PUT"], "AllowedHeaders": ["*"]}
