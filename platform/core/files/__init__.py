"""Stored files: opaque names, folders and buckets, copies on this machine's disk, files that no row names."""
