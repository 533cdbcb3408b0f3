"""Read manifests, archives and audio, reject what is invalid, and make renditions for raters."""
