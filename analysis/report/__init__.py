"""Computing an analysis, and its report."""
