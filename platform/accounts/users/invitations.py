"""Invitations by a link that works once, and the accounts that their holders create."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.users.models import User
from core import rng
from core.errors import Conflict, Gone, Invalid, NotFound


class Invitation(models.Model):
    """A link for one person, once; only its hash is kept."""

    token_sha256 = models.CharField(max_length=64, unique=True)
    # To distinguish invitations; no e-mail is sent.
    email = models.EmailField(blank=True, default="")
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


I = TypeVar("I", bound=Invitation)  # noqa: E741


def digest(token: str) -> str:
    """Return the stored hash of an invitation's token; a plain hash is enough for 128 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def issue(
    model: type[I], *, by: User | None, now: datetime, valid_for: timedelta, email: str = "", **about: Any
) -> tuple[I, str]:
    """Create an invitation and return it with its token, which is not stored."""
    token = rng.token()
    rows: Any = model._default_manager
    times = {"at": now, "expires_at": now + valid_for}
    return rows.create(token_sha256=digest(token), email=email.strip(), invited_by=by, **times, **about), token


def waiting(model: type[I], *, study: models.Model) -> Sequence[I]:
    """Return a study's open invitations."""
    rows = model._default_manager.filter(study=study, used_at=None, revoked_at=None)
    return list(rows.select_related("invited_by").order_by("-pk"))


def checked(model: type[I], *, token: str, now: datetime, lock: bool = False) -> I:
    """Return the invitation of a token; raise `NotFound` or `Gone`."""
    rows: QuerySet[I] = model._default_manager.select_related("study")
    if lock:
        rows = rows.select_for_update(no_key=True, of=("self",))
    record = rows.filter(token_sha256=digest(token)).first()
    if record is None:
        raise NotFound(_("There is no such invitation. Check the link, or ask the person who sent it."))
    if record.revoked_at is not None:
        raise Gone(_("This invitation was revoked. Ask the person who sent it for a new one."), code="revoked")
    if record.used_at is not None:
        raise Gone(_("This invitation was already used. If that was you, sign in."), code="used")
    if record.expires_at <= now:
        raise Gone(_("This invitation has expired. Ask the person who sent it for a new one."), code="expired")
    return record


def use(record: Invitation, *, user: User, now: datetime) -> None:
    """Note the user of an invitation, so that it can't be used twice."""
    record.used_at, record.used_by = now, user
    record.save(update_fields=["used_at", "used_by"])


@transaction.atomic
def revoke(model: type[I], *, study: models.Model, invite_id: int, now: datetime) -> None:
    """Revoke an unused invitation; raise `NotFound` or `Conflict`."""
    record = model._default_manager.select_for_update(no_key=True).filter(study=study, pk=invite_id).first()
    if record is None:
        raise NotFound(_("There is no such invitation in this study."))
    if record.used_at is not None or record.revoked_at is not None:
        raise Conflict(_("This invitation was already used or revoked."), code="already_revoked")
    record.revoked_at = now
    record.save(update_fields=["revoked_at"])


@transaction.atomic
def accept_as_new(
    model: type[I], accept: Callable[..., object], *, token: str, username: str, password: str, now: datetime
) -> User:
    """Create an account for the holder of an invitation, and accept it; raise `Invalid` by field."""
    record = checked(model, token=token, now=now, lock=True)
    user = create_account(username=username, password=password, email=record.email)
    accept(token=token, user=user, now=now)
    return user


def create_account(*, username: str, password: str, email: str) -> User:
    """Create an account for the holder of an invitation; raise `Invalid` by field."""
    user = User(username=User.normalize_username(username.strip()), email=email)
    problems = {}
    try:
        UnicodeUsernameValidator()(user.username)
        if len(user.username) > 150:
            raise ValidationError(_("Use at most 150 characters."))
    except ValidationError as error:
        problems["username"] = " ".join(error.messages)
    try:
        validate_password(password, user)
    except ValidationError as error:
        problems["password"] = " ".join(error.messages)
    if "username" not in problems and User.objects.filter(username__iexact=user.username).exists():
        problems["username"] = _("This name is already in use. Choose another, or sign in if it is yours.")
    if problems:
        raise Invalid(_("The account can’t be created."), problems)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:
        reason = _("This name is already in use. Choose another, or sign in if it is yours.")
        raise Invalid(_("The account can’t be created."), {"username": reason}) from None
    return user
