"""Inspection: looking into trained models and their learned tables."""
