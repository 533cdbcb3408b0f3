"""API URLs of the judge, its runs and their scores."""

from __future__ import annotations

from django.urls import path

from judge.runs import api as runs_api

STUDY = "studies/<slug:slug>"
RUN = f"{STUDY}/judge/runs/<int:pk>"
urlpatterns = [
    path(f"{STUDY}/judge", runs_api.JudgeView.as_view(), name="judge"),
    path(f"{STUDY}/judge/runs", runs_api.JudgeRunsView.as_view(), name="judge_runs"),
    path(RUN, runs_api.JudgeRunView.as_view(), name="judge_run"),
    path(f"{RUN}/cancel", runs_api.CancelJudgeRunView.as_view(), name="cancel_judge_run"),
    path(f"{RUN}/scores", runs_api.JudgeScoresView.as_view(), name="judge_scores"),
]
