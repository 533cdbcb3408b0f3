"""Manifests, archives and audio on their way in: what is read, what is refused, what raters are sent."""
