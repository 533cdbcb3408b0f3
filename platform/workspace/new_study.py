"""Create a study: choose a question, which stands for a preset, and give the study a title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.users.models import User
from core import clock
from core.errors import Invalid, NotFound
from studies.definition import presets
from studies.definition.settings.crowd import Crowd
from studies.launch import saved_presets, states
from studies.launch.new_study import NewStudy
from studies.members import access
from studies.members.pages import staff
from studies.rules.roles import Capability
from workspace import keeping

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class Card:
    """A preset as the question that it answers; `picture` names a template, empty for none."""

    preset: str
    question: Words
    about: Words
    source: Words
    picture: str = ""


CARDS = (
    Card(
        "acr",
        gettext_lazy("How good does it sound?"),
        gettext_lazy(
            "Raters rate the quality of one clip at a time from 1 (Bad) to 5 (Excellent). The result is a mean "
            "opinion score."
        ),
        "ITU-T P.800",
        "workspace/new/acr.html",
    ),
    Card(
        "naturalness",
        gettext_lazy("How natural does it sound?"),
        gettext_lazy(
            "Raters rate one clip at a time from 1 (Completely unnatural) to 5 (Completely natural). The result is a "
            "mean opinion score."
        ),
        gettext_lazy("after CrowdMOS"),
        "workspace/new/acr.html",
    ),
    Card(
        "mushra",
        gettext_lazy("Which of several sounds best?"),
        gettext_lazy("Raters hear clips of one text beside a reference, and rate each from 0 to 100."),
        "ITU-R BS.1534",
        "workspace/new/mushra.html",
    ),
    Card(
        "ab",
        gettext_lazy("Which of two systems sounds better?"),
        gettext_lazy(
            "Raters hear two clips of one text and choose one. The result is how often each system is preferred."
        ),
        "",
        "workspace/new/ab.html",
    ),
    Card(
        "cmos",
        gettext_lazy("Which of two sounds more natural, and by how much?"),
        gettext_lazy("Raters compare a clip with the human recording of the same text, from −3 to +3."),
        "ITU-T P.800",
        "workspace/new/cmos.html",
    ),
    Card(
        "smos",
        gettext_lazy("Does it sound like the target speaker?"),
        gettext_lazy(
            "Raters hear another sentence of the target speaker, then the clip, and rate how alike both voices are."
        ),
        gettext_lazy("after the Blizzard Challenge"),
        "workspace/new/smos.html",
    ),
    Card(
        "att",
        gettext_lazy("Does this voice pass for a human?"),
        gettext_lazy("Raters choose Human, Unclear or Machine and write why. Trap clips show who listens."),
        gettext_lazy(
            "Audio Turing Test: Benchmarking the Human-likeness of Large Language Model-based Text-to-Speech Systems "
            "in Chinese"
        ),
        "workspace/new/att.html",
    ),
    Card(
        "hfr",
        gettext_lazy("How often do listeners take it for a human?"),
        gettext_lazy("Raters hear each clip whole and choose Human or Machine. The result is a percentage."),
        gettext_lazy("The State Of TTS: A Case Study with Human Fooling Rates"),
        "workspace/new/hfr.html",
    ),
    Card(
        "sp-mcqa",
        gettext_lazy("Is it understood?"),
        gettext_lazy(
            "Raters hear a passage and answer questions on what it says. The result is the share of right answers."
        ),
        gettext_lazy("SP-MCQA: Evaluating Intelligibility of TTS Beyond the Word Level"),
        "workspace/new/sp-mcqa.html",
    ),
)
# Less often asked: folded away.
MORE = (
    Card(
        "hfr-granular",
        gettext_lazy("What gives a machine away?"),
        gettext_lazy("Raters choose Human or Machine. After Machine, they mark which of nine signs gave it away."),
        gettext_lazy("The State Of TTS: A Case Study with Human Fooling Rates"),
        "workspace/new/hfr-granular.html",
    ),
    Card(
        "transcription",
        gettext_lazy("Is every word understood?"),
        gettext_lazy("Raters hear each clip once and write down what they heard. The result is a word error rate."),
        gettext_lazy("after the Blizzard Challenge"),
        "workspace/new/transcription.html",
    ),
    Card(
        "scales",
        gettext_lazy("How does it do on scales of your own?"),
        gettext_lazy(
            "Raters rate each clip on a list of scales that you write, such as naturalness and intelligibility."
        ),
        "",
        "workspace/new/scales.html",
    ),
    Card(
        "p835",
        gettext_lazy("How good are speech, background and the whole?"),
        gettext_lazy(
            "Raters hear each clip three times and rate speech, background and overall quality on a page each."
        ),
        "ITU-T P.835, P.808",
        "workspace/new/p835.html",
    ),
    Card(
        "bws",
        gettext_lazy("Which of several is best, without a reference?"),
        gettext_lazy("Raters hear a few clips of one text and choose the best and the worst of them."),
        gettext_lazy("after Kiritchenko and Mohammad (2017)"),
        "workspace/new/bws.html",
    ),
    Card(
        "ranking",
        gettext_lazy("In which order do several sound better?"),
        gettext_lazy("Raters hear a few clips of one text and remove the worst until one is left."),
        gettext_lazy("after Kayyar et al. (2023)"),
        "workspace/new/ranking.html",
    ),
    Card(
        "abx",
        gettext_lazy("Is a difference heard at all?"),
        gettext_lazy(
            "Raters hear X, then A and B, and say which of the two X is. Guesses are right in half of the answers."
        ),
        "",
        "workspace/new/xab.html",
    ),
    Card(
        "pairwise-dimensions",
        gettext_lazy("Which of two systems is better, and in what?"),
        gettext_lazy(
            "Raters compare two clips of one text overall and in six dimensions, such as expressiveness and noise."
        ),
        gettext_lazy("after arXiv 2604.21481"),
        "workspace/new/ab.html",
    ),
    Card(
        "same-different",
        gettext_lazy("Are two clips the same to listeners?"),
        gettext_lazy("Raters say whether two clips are the same or different. Half of the pairs are one clip twice."),
        "",
        "workspace/new/ab.html",
    ),
    Card(
        "xab",
        gettext_lazy("Whose voice is closer to the target speaker?"),
        gettext_lazy("Raters hear another recording of the speaker, then two clips, and choose the closer one."),
        "",
        "workspace/new/xab.html",
    ),
    Card(
        "axy",
        gettext_lazy("Whose melody and rhythm is closer to a reference?"),
        gettext_lazy("Raters hear a reference, then two clips of its text, and say which is closer, from −3 to +3."),
        gettext_lazy("after Skerry-Ryan et al. (2018)"),
        "workspace/new/xab.html",
    ),
    Card(
        "mushra-nmr",
        gettext_lazy("Does a system sound better than the human recording?"),
        gettext_lazy("Like MUSHRA, but no reference is shown: the human recording is rated among the others."),
        gettext_lazy("after arXiv 2411.12719"),
        "workspace/new/mushra.html",
    ),
    Card(
        "mushra-1s",
        gettext_lazy("How does each system compare with a reference and an anchor?"),
        gettext_lazy("Like MUSHRA, but each system is on a screen of its own."),
        gettext_lazy("after arXiv 2509.19219"),
        "workspace/new/mushra.html",
    ),
    Card(
        "bs1116",
        gettext_lazy("Are small impairments heard, and how annoying are they?"),
        gettext_lazy(
            "Raters hear a reference and two clips, one of which is the reference, and rate both from 1.0 to 5.0."
        ),
        gettext_lazy("after ITU-R BS.1116"),
        "workspace/new/bs1116.html",
    ),
    Card(
        "dcr",
        gettext_lazy("How much worse than the reference is it?"),
        gettext_lazy("Raters hear the reference first, then the clip, and rate how annoying the degradation is."),
        "ITU-T P.800, P.808",
        "workspace/new/dcr.html",
    ),
    Card(
        "acr-half",
        gettext_lazy("How good does it sound, in half points?"),
        gettext_lazy("Raters rate one clip at a time from 1 (Bad) to 5 (Excellent) in steps of 0.5."),
        "ITU-T P.800",
        "workspace/new/acr.html",
    ),
    Card(
        "acr-9",
        gettext_lazy("How good does it sound, on nine points?"),
        gettext_lazy("Raters rate one clip at a time from 1 (Bad) to 9 (Excellent)."),
        gettext_lazy("after ITU-T P.910"),
        "workspace/new/acr-9.html",
    ),
    Card(
        "p804",
        gettext_lazy("Which properties of the sound are good or bad?"),
        gettext_lazy(
            "Raters rate noise, loudness, discontinuity, coloration, reverb, speech and overall quality on one page."
        ),
        "ITU-T P.804, P.808",
        "workspace/new/scales.html",
    ),
    Card(
        "detection",
        gettext_lazy("Who is recognised as a machine, and how surely?"),
        gettext_lazy("Raters choose Human or Machine and say how sure they are. They get no feedback."),
        "",
        "workspace/new/hfr.html",
    ),
)


def has_anchors(preset: str) -> bool:
    """True if raters of this preset rate low-pass anchors by default; presets of this server have none."""
    known = presets.by_name().get(preset)
    return known is not None and bool(known.definition.kind.anchors(known.definition.params))


def cards() -> tuple[list[tuple[Card, str]], list[tuple[Card, str]]]:
    """Return cards with the labels of their presets: the usual ones, and more; each preset has one."""
    known = presets.by_name()
    usual, more = (
        [(card, _(known[card.preset].label)) for card in group if card.preset in known] for group in (CARDS, MORE)
    )
    shown = {card.preset for card, _label in (*usual, *more)}
    for name in sorted(known.keys() - shown):
        preset = known[name]
        more.append((Card(name, _(preset.label), _(preset.summary) if preset.summary else "", ""), ""))
    return usual, more


@require_http_methods(["GET", "POST"])
@never_cache
@staff
def new(request: HttpRequest) -> HttpResponse:
    """Show the questions that a study can answer; POST creates one and goes on to its clips."""
    if not request.user.has_perm("studies.add_study"):
        raise PermissionDenied
    origins = list(access.visible(request.user, Capability.CHANGE_STUDY).filter(pilot_of=None, archived_at=None))
    form = NewStudy(request.POST or None, origins=origins)
    if form.is_valid() and (study := _created(form, request, origins)):
        if form.cleaned_data.get("origin") and form.cleaned_data["with_clips"]:
            messages.success(request, keeping.DUPLICATED)
            return redirect("workspace:overview", study.slug)
        messages.success(request, _("The study was created. Add its clips."))
        return redirect("studies:clips", study.slug)
    form.focus()
    usual, more = cards()
    chosen = form["preset"].value() or ""
    is_more = any(card.preset == chosen for card, _label in more)
    own = [(preset, saved_presets.may_delete(preset, request.user)) for preset in saved_presets.listed()]
    context = {"form": form, "cards": usual, "more": more, "own": own, "is_more": is_more, "chosen": chosen}
    context["anchored"] = [name for name in presets.by_name() if has_anchors(name)]
    return render(request, "workspace/new.html", context, status=400 if form.errors else 200)


@require_POST
@never_cache
@staff
def delete_preset(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a preset of this server; studies made from it stay as they are."""
    try:
        preset = saved_presets.find(slug)
    except NotFound as error:
        raise Http404(error.message) from error
    if not saved_presets.may_delete(preset, request.user):
        raise PermissionDenied
    preset.delete()
    messages.success(request, _("The preset “{name}” was deleted.").format(name=preset.name))
    return redirect("workspace:new")


def _created(form: NewStudy, request: HttpRequest, origins: Sequence[Study]) -> Study | None:
    """Create the study; on a problem, write it next to its field and return None."""
    assert isinstance(request.user, User)
    values = dict(form.cleaned_data)
    chosen, copying = values.pop("origin", ""), {name: values.pop(name, False) for name in keeping.COPYING}
    origin = next((study for study in origins if study.slug == chosen), None)
    try:
        if origin is not None:
            title, slug = values["title"], values["slug"]
            return keeping.duplicated(origin, request.user, title=title, slug=slug, **copying)
        with_anchors, source = values.pop("anchors"), values.pop("source")
        changes: dict[str, Any] = {"crowd.source": source} if source not in ("", Crowd().source) else {}
        if has_anchors(values["preset"]) and not with_anchors:
            changes["task.anchors"] = []
        return states.create_study(**values, owner=request.user, changes=changes, now=clock.now())
    except Invalid as error:
        for field, message in error.problems.items():
            form.add_error(field if field in form.fields else None, message)
        if not error.problems:
            form.add_error(None, error.message)
        return None
