"""What a crowd platform says about its people: read, sorted in, and acted on where a place is to be given back."""
