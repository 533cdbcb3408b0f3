"""Let experts in by a link, and out again; name the clips that they listen to."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.roles import EXPERTS
from core import rng
from core.errors import Conflict, Gone, Invalid, NotFound
from studies.models import ExpertClip, ExpertInvite, Study, StudyExpert

VALID_FOR = timedelta(days=14)


def digest(token: str) -> str:
    """Return what is kept of an invitation's token: it has 128 random bits, so that one plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def invite(*, study: Study, by: User | None, now: datetime, email: str = "") -> tuple[ExpertInvite, str]:
    """Make an invitation and return it with its token, which nobody can read again afterwards."""
    token = rng.token()
    made = ExpertInvite.objects.create(
        study=study,
        token_sha256=digest(token),
        email=email.strip(),
        invited_by=by,
        at=now,
        expires_at=now + VALID_FOR,
    )
    return made, token


def checked(*, token: str, now: datetime, lock: bool = False) -> ExpertInvite:
    """Return the invitation that a token opens; raises `NotFound` or `Gone`."""
    rows = ExpertInvite.objects.select_for_update(no_key=True, of=("self",)) if lock else ExpertInvite.objects.all()
    found = rows.select_related("study").filter(token_sha256=digest(token)).first()
    if found is None:
        raise NotFound(_("There is no such invitation. Check the link, or ask whoever sent it."))
    if found.revoked_at is not None:
        raise Gone(_("This invitation was taken back. Ask whoever sent it for another."), code="revoked")
    if found.used_at is not None:
        raise Gone(_("This invitation was used already. If that was you, sign in."), code="used")
    if found.expires_at <= now:
        raise Gone(_("This invitation has run out. Ask whoever sent it for another."), code="expired")
    return found


@transaction.atomic
def accept(*, token: str, user: User, now: datetime) -> StudyExpert:
    """Make a person who is signed in an expert of the study; raises `NotFound` or `Gone`."""
    found = checked(token=token, now=now, lock=True)
    found.used_at, found.used_by = now, user
    found.save(update_fields=["used_at", "used_by"])
    user.groups.add(Group.objects.get(name=EXPERTS))
    known = StudyExpert.objects.filter(study=found.study, user=user, revoked_at=None).first()
    return known or StudyExpert.objects.create(study=found.study, user=user, invited_by=found.invited_by, at=now)


@transaction.atomic
def accept_as_new(*, token: str, username: str, password: str, now: datetime) -> User:
    """Make an account for whoever holds the invitation, and accept it; raises `Invalid` by field."""
    found = checked(token=token, now=now, lock=True)
    user = User(username=User.normalize_username(username.strip()), email=found.email)
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
        problems["username"] = _("Somebody has this name already. Choose another, or sign in if it is yours.")
    if problems:
        raise Invalid(_("The account can't be made like this."), problems)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:
        taken = _("Somebody has this name already. Choose another, or sign in if it is yours.")
        raise Invalid(_("The account can't be made like this."), {"username": taken}) from None
    accept(token=token, user=user, now=now)
    return user


@transaction.atomic
def revoke(*, study: Study, expert_id: int, now: datetime) -> StudyExpert:
    """Let an expert into a study no longer; what they decided stays."""
    found = StudyExpert.objects.select_for_update(no_key=True).filter(study=study, pk=expert_id).first()
    if found is None:
        raise NotFound(_("There is no such expert in this study."))
    if found.revoked_at is not None:
        raise Conflict(_("This was taken back already."), code="already_revoked")
    found.revoked_at = now
    found.save(update_fields=["revoked_at"])
    return found


@transaction.atomic
def revoke_invite(*, study: Study, invite_id: int, now: datetime) -> ExpertInvite:
    """Make an invitation void that nobody has used yet."""
    found = ExpertInvite.objects.select_for_update(no_key=True).filter(study=study, pk=invite_id).first()
    if found is None:
        raise NotFound(_("There is no such invitation in this study."))
    if found.used_at is not None or found.revoked_at is not None:
        raise Conflict(_("This invitation was used or taken back already."), code="already_revoked")
    found.revoked_at = now
    found.save(update_fields=["revoked_at"])
    return found


def audio_keys(*, user_id: int, clips: Collection[int]) -> dict[int, str]:
    """Return {clip: the name under which this person may fetch it}; the same name each time."""
    asked = ExpertClip.objects.filter(user=user_id, clip__in=clips).values_list("clip_id", "key")
    known = dict(asked)
    if new := [clip for clip in clips if clip not in known]:
        # Another tab may be doing the same; then its names prevail.
        ExpertClip.objects.bulk_create(
            (ExpertClip(user_id=user_id, clip_id=clip, key=rng.token()) for clip in new), ignore_conflicts=True
        )
        known = dict(asked.all())
    return known
