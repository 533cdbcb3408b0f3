"""Consent and instructions, in an app of their own, so that no round of the trials has to skip them."""

from __future__ import annotations

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models, widgets


class C(BaseConstants):
    NAME_IN_URL = "intro"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    agreed = models.BooleanField(label="I have read this, and I agree to take part.", widget=widgets.CheckboxInput)


class Consent(Page):
    form_model = "player"
    form_fields = ["agreed"]


class Instructions(Page):
    pass


page_sequence = [Consent, Instructions]
