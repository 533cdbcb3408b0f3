"""Addresses of the judge, its runs and their scores."""

from __future__ import annotations

from django.urls import path

from judge.api import judge, runs, scores

STUDY = "studies/<slug:slug>"
RUN = f"{STUDY}/judge/runs/<int:pk>"
urlpatterns = [
    path(f"{STUDY}/judge", judge.JudgeView.as_view(), name="judge"),
    path(f"{STUDY}/judge/runs", runs.JudgeRunsView.as_view(), name="judge_runs"),
    path(RUN, runs.JudgeRunView.as_view(), name="judge_run"),
    path(f"{RUN}/cancel", runs.CancelJudgeRunView.as_view(), name="cancel_judge_run"),
    path(f"{RUN}/scores", scores.JudgeScoresView.as_view(), name="judge_scores"),
]
