"""Results of other programs: a reader for each, which `read_results` calls."""
