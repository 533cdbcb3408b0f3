"""What the answers mean: scores, the study's page, exports."""
