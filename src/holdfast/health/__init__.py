"""Doctor and audit: one probes every link now, the other counts what ran in a period. Looking changes nothing."""
