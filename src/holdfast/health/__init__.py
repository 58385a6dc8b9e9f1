"""Doctor, audit and ladder: one probes every link now, one counts what ran in a period, one shows how far the memory
has come. Looking changes nothing."""
