"""What is asked: studies, their clips, and the pool of places to be rated."""
