"""Questions with computed answers, listings to be mended, and numbers of one's own that are compared with ours."""
