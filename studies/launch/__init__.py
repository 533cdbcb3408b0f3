"""Launch studies: checks, frozen versions, states."""
