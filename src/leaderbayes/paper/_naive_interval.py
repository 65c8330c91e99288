"""The interval of one score by itself, which the paper holds against its own."""

from leaderbayes.sota._one_score import naive_interval as naive_interval
