"""A page of the stand-in that shows its data and acts for participants."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from demo.prolific.account import LEAVES, Account, FakeSubmission

HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>A stand-in for Prolific</title><h1>A stand-in for Prolific</h1>"
    "<p>Nobody here is real, and no money moves. What is shown was told by Earshot, or done by these buttons.</p>"
)
COLUMNS = ("Submission", "State", "Code", "Bonuses", "Was told", "Participant")


def render(account: Account) -> str:
    """Return all studies and their submissions, with buttons for the actions of participants."""
    paid = f"<p>Bonus orders paid so far: {len(account.paid)}</p>"
    return HEAD + ("".join([paid, *_studies(account)]) if account.studies else "<p>Nobody came yet.</p>")


def _studies(account: Account) -> Iterator[str]:
    for study in account.studies.values():
        rows = account.of_study(study.id)
        head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
        reward = f"{study.reward / 100:.2f} {escape(study.currency)}"
        yield f"<h2>{escape(study.id)}</h2><p>{study.places} places, {reward}; "
        yield f"{len(account.paid)} bonus orders paid</p><div style='overflow-x:auto'><table><tr>{head}</tr>"
        yield "".join(map(_row, rows)) + "</table></div>"


def _row(each: FakeSubmission) -> str:
    can_leave = each.status in {"ACTIVE", "AWAITING REVIEW"}
    buttons = "".join(f'<button name="status" value="{status}">{status}</button> ' for status in LEAVES)
    form = f'<form method="post" action="/submissions/{escape(each.id)}/leave">{buttons}</form>'
    cells = (
        f"<code>{escape(each.id)}</code>",
        escape(each.status) + (", return asked for" if each.return_requested else ""),
        escape(each.code or "none"),
        escape(" + ".join(f"{amount / 100:.2f}" for amount in each.bonuses) or "none"),
        "<br>".join(map(escape, each.messages)),
        form if can_leave else "",
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
