"""The lab: train small transformers that differ in their positional encoding only, and measure them past their length.

Its rooms: `experiment` has all that decides a number, `results` what a run leaves, `storage` what is kept, `queue` the
runs of the app, `sweeps` many runs at once, `inspection` looks into trained models. The modules beside them are command
lines: `python -m pe_core.lab --help`.
"""
