"""The doctor probes every link now; the audit counts what ran in a period. Looking changes nothing."""
