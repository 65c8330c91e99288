"""Tables and answers from a posterior, or from the scores. No PyMC."""
