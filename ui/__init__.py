"""Everything the pages share that knows Streamlit; the numbers come from `pe_core`."""
