"""What experts see: their studies, and the work that waits in each."""
