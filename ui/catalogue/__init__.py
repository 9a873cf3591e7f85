"""The rooms of the catalogue of all entries of the registries."""
