"""Thirty trials: a clip, a choice of three, and a reason."""

from __future__ import annotations

import random

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models, widgets


class C(BaseConstants):
    NAME_IN_URL = "listening"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 30
    CLIPS = 100


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    clip = models.StringField()
    choice = models.StringField(
        choices=[["human", "Human"], ["unclear", "Unclear"], ["machine", "Machine"]], widget=widgets.RadioSelect
    )
    reason = models.LongStringField(label="What in the audio tells you?")


def creating_session(subsession: Subsession) -> None:
    for player in subsession.get_players():
        player.clip = f"clips/{random.randrange(C.CLIPS)}.wav"


class Trial(Page):
    form_model = "player"
    form_fields = ["choice", "reason"]


page_sequence = [Trial]
