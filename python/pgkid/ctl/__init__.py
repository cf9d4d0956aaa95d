"""kidctl: moves tables that people already have to k-ordered IDs, to partitions, and back."""
