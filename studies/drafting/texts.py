"""Draft texts in the steps of the ATT paper: generate, make colloquial, check; then people review them."""

from __future__ import annotations

from django.db.models import QuerySet

from studies.corpus import services as corpus
from studies.corpus.models import CorpusText
from studies.drafting import queries
from studies.drafting.gate import Material
from studies.drafting.models import Draft, DraftRun
from studies.drafting.rules import answers, text_checks
from studies.drafting.rules.answers import Rewritten
from studies.drafting.rules.plans import TEXTS_AT_ONCE, TextPlan
from studies.drafting.rules.prompts import kind_of, language_of
from studies.drafting.rules.text_checks import Flag, Known
from studies.drafting.working import Answered, Ended, Request, Turn

# So many texts of the dimension are shown to the model, the newest first.
EXAMPLES = 8
LANGUAGES = {"en": "English", "zh-hans": "简体中文", "zh": "简体中文", "zh-hant": "繁體中文"}


def draft(turn: Turn) -> None:
    """Draft texts until the plan is met; raises `Ended` when the model writes too few for a dimension."""
    plan = TextPlan.model_validate(turn.run.plan)
    known = Known(queries.known_texts(turn.run.study_id), similarity=plan.similarity)
    each = [_Texts(turn, plan, known, place) for place in range(len(plan.dimensions))]
    turn.done = sum(texts.done for texts in each)
    # A dimension for which the model writes too few doesn't keep the others waiting.
    enough = [texts.work() for texts in each]
    if not all(enough):
        raise Ended(DraftRun.Ending.SHORT)


class _Texts:
    """The texts of one dimension of a run."""

    def __init__(self, turn: Turn, plan: TextPlan, known: Known, place: int) -> None:
        self.turn, self.run, self.plan, self.known = turn, turn.run, plan, known
        self.dimension = plan.dimensions[place]
        self.kind = kind_of(self.dimension)
        # Before the numbers of its units: "generate/2" of the first dimension, "generate/d1-2" of the next one.
        self.prefix = f"d{place}-" if place else ""
        self.done = CorpusText.objects.filter(pk__in=self._drafts("colloquial").values("text")).count()

    def work(self) -> bool:
        """Draft what is missing; return whether the model wrote enough."""
        for generated in self._drafts("generate"):
            self._adapt(generated)
        while self.done < self.plan.number:
            number = self._drafts("generate").count() + 1
            if number > self.plan.most_requests:
                return False
            self._adapt(self._generate(number))
        return True

    def _drafts(self, step: str) -> QuerySet[Draft]:
        rows = Draft.objects.filter(run=self.run, unit__startswith=f"{step}/{self.prefix}").order_by("pk")
        return rows if self.prefix else rows.exclude(unit__startswith=f"{step}/d")

    def _generate(self, number: int) -> Draft:
        plan = self.plan
        wanted = min(TEXTS_AT_ONCE, plan.number - self.done)
        answered = self.turn.ask(
            Request(
                unit=f"generate/{self.prefix}{number}",
                step="generate",
                shape=answers.GENERATED,
                language=language_of(plan.language),
                kind=self.kind,
                values={
                    **self._lengths(),
                    "number": str(wanted),
                    "dimension": self.dimension,
                    "topics": plan.topics or "–",
                },
                materials={"examples": self._examples()},
            )
        )
        row = answered.draft
        seen: set[str] = set()
        for text in answered.read.texts if answered.read else ():
            if self.known.same_as(text) or text_checks.plain(text) in seen:
                row.refused.append({"reason": "duplicate", "text": text})
            else:
                row.items.append({"text": text})
            seen.add(text_checks.plain(text))
        with self.turn.storing(row):
            pass
        return row

    def _adapt(self, generated: Draft) -> None:
        """Make texts colloquial, no more than are missing: one that is refused makes room for another."""
        texts = {
            f"colloquial/{generated.unit.partition('/')[2]}.{place}": item["text"]
            for place, item in enumerate(generated.items, start=1)
        }
        while self.done < self.plan.number and (units := [unit for unit in texts if unit not in self.turn.units]):
            missing = units[: self.plan.number - self.done]
            for answered in self.turn.ask_each(self._colloquial(unit, texts[unit]) for unit in missing):
                self._take(answered, texts[answered.draft.unit])

    def _colloquial(self, unit: str, text: str) -> Request[Rewritten]:
        return Request(
            unit=unit,
            step="colloquial",
            shape=answers.REWRITTEN,
            language=language_of(self.plan.language),
            values=self._lengths(),
            materials={"text": [Material(text, self.plan.box)]},
        )

    def _take(self, answered: Answered[Rewritten], text: str) -> None:
        """Store a text that was made colloquial, or the one before where that failed."""
        plan, row = self.plan, answered.draft
        body = answered.read.text if answered.read else text
        if self.known.same_as(body):
            row.refused.append({"reason": "duplicate", "text": body})
            with self.turn.storing(row):
                return
        flags = list(
            text_checks.check(
                body, kind=self.kind, shortest=plan.shortest, longest=plan.longest, known=self.known, before=text
            )
        )
        if answered.read is None:
            flags.append(Flag("not_colloquial"))
        self.done += 1
        self.turn.done += 1
        with self.turn.storing(row):
            stored = self._store(body, flags)
            row.text = stored
            row.save(update_fields=["text"])
        self.known.add(stored.name, body)

    def _store(self, body: str, flags: list[Flag]) -> CorpusText:
        """Add a text of state draft, which nothing uses before a person has accepted it."""
        plan, run = self.plan, self.run
        number = CorpusText.objects.filter(study=run.study, name__startswith=f"draft-{run.pk}-").count() + 1
        while CorpusText.objects.filter(study=run.study, name=f"draft-{run.pk}-{number:03}").exists():
            number += 1
        values = {"body": body, "dimension": self.dimension, "language": plan.language, "box": plan.box}
        return corpus.add(
            study=run.study,
            name=f"draft-{run.pk}-{number:03}",
            values=values,
            author=None,
            now=self.turn.clock(),
            flags=[flag.as_json() for flag in flags],
        )

    def _lengths(self) -> dict[str, str]:
        name = LANGUAGES.get(self.plan.language.lower(), self.plan.language)
        return {"shortest": str(self.plan.shortest), "longest": str(self.plan.longest), "language": name}

    def _examples(self) -> list[Material]:
        """Return texts of this dimension that the endpoint may see, the newest first."""
        rows = CorpusText.objects.filter(study=self.run.study, dimension=self.dimension).exclude(state="rejected")
        gate = self.turn.gate("generate")
        found = rows.order_by("-pk").values_list("name", "body", "box")[: 5 * EXAMPLES]
        return gate.sendable(Material(body, gate.box_of(name, box)) for name, body, box in found)[:EXAMPLES]
