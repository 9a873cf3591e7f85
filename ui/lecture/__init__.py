"""Lectures: files of scenes, presenting them, and handouts."""
