"""The lab: train small transformers that differ in their positional encoding only, and measure them past their length.

`corpus` makes tokens of text, `model` is the transformer, `training` and `evaluation` are what their names say, `run`
puts them together for one encoding, `results` keeps what came out, `jobs` runs many in the background, `estimate` says
how long that will take.
"""
