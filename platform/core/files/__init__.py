"""Where bytes lie: opaque names, folders and buckets, copies on this machine's disk, and what no row names."""
