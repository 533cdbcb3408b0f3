"""Items and their places: how many ratings each item still wants."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from studies.clips.models import Clip, System, Text
from studies.definition.models import Study


class Cell(models.Model):
    """Items of one system and dimension in one role; batches are balanced over cells."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="cells")
    # Stored here, not in Pool: SQLite can't seek on NOT simulated, and a study has few cells.
    simulated = models.BooleanField(default=False)
    role = models.CharField(max_length=20)
    system = models.ForeignKey(System, models.CASCADE, db_index=False)
    dimension = models.CharField(max_length=100, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "simulated", "role", "system", "dimension"], name="cell_once")
        ]

    def __str__(self) -> str:
        return f"{self.role} · {self.system} · {self.dimension}"


class Item(models.Model):
    """The clips and the role of one trial."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="items")
    kind = models.CharField(max_length=40)
    role = models.CharField(max_length=20)
    text = models.ForeignKey(Text, models.PROTECT, null=True, db_index=False, related_name="items")
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"item {self.pk}"


class ItemClip(models.Model):
    """A clip at its place in an item."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="clips", db_index=False)
    place = models.PositiveSmallIntegerField(default=0)
    clip = models.ForeignKey(Clip, models.PROTECT, related_name="items")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "place"], name="item_place_once")]

    def __str__(self) -> str:
        return f"{self.item} · {self.place}"


class Pool(models.Model):
    """The places of one item. Traps also have a row, but it is never taken: they are drawn, not claimed."""

    cell = models.ForeignKey(Cell, models.CASCADE, related_name="pool", db_index=False)
    item = models.ForeignKey(Item, models.CASCADE, related_name="pool")
    text = models.ForeignKey(Text, models.PROTECT, null=True, db_index=False)
    wanted = models.PositiveIntegerField()
    taken = models.PositiveIntegerField(default=0)
    shuffle = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cell", "item"], name="place_once")]
        indexes = [
            models.Index(fields=["cell", "taken", "shuffle"], name="pool_open", condition=Q(taken__lt=F("wanted"))),
            # A withdrawn item wants no ratings and is in neither index.
            models.Index(
                fields=["cell", "taken", "shuffle"],
                name="pool_full",
                condition=Q(taken__gte=F("wanted"), wanted__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.taken} of {self.wanted}"
