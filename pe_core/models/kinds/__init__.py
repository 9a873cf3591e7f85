"""Kinds of models whose positions are not those of the classes with RoPE settings: a reader for each type."""
