"""The rooms of the gallery of trained encodings."""
