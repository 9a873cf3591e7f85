"""The lab's own rooms."""
