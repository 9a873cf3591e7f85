"""Tensor to tidy frame to Altair chart: the only place that knows pandas and Altair.

Charts carry no size and no numbers in their titles, so that a slider changes their data only and the browser keeps
the view it has.
"""
