"""Experts at their browsers."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from accounts.models import User
from studies.decisions import experts
from studies.models import Study


def expert(name: str, *studies: Study, now: datetime | None = None) -> User:
    """Return a new user who was invited to these studies."""
    now = now or timezone.now()
    user = User.objects.create_user(name, password="pw")
    for study in studies:
        _invite, token = experts.invite(study=study, by=None, now=now)
        experts.accept(token=token, user=user, now=now)
    return user
