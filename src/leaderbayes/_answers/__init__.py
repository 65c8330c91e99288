"""Tables and answers computed from a posterior or from scores, without PyMC."""
