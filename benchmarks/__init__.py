"""Speed beside peers and bare pages, as ratios within one run: `make bench`."""
