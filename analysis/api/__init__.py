"""Progress, ratings, scores and exports for programs."""
