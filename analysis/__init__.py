"""Analysis of answers: scores, the Results page, planning, exports."""
