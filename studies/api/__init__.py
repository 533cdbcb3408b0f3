"""Studies, clips and imports for programs."""
