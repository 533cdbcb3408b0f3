"""From a draft to a launched study and its end: what is checked before, frozen versions, states."""
