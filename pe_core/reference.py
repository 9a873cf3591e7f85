"""The table of encodings as the README shows it, made from the registry: `python -m pe_core.reference`."""

from pe_core.encodings import ENCODINGS, EncodingSpec, Shape

PLACES = {
    "embed": "the embeddings",
    "rotate": "queries and keys",
    "bias": "the scores",
}
SMALL = Shape(d_model=8, n_heads=2, train_length=8, max_length=16)


def encoding_table() -> str:
    """Return the registry as a Markdown table: key, where position enters, parameters, module, paper."""
    lines = ["| Encoding | Key | Position enters | Parameters | Module | Paper |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(_row(spec) for spec in ENCODINGS.values())])


def _row(spec: EncodingSpec) -> str:
    module = type(spec.build(SMALL)).__module__
    path = module.replace(".", "/") + ".py"
    parameters = ", ".join(f"`{parameter.name}`" for parameter in spec.parameters) or "none"
    if spec.paper is None:
        paper = "folklore"
    else:
        paper = f"[{spec.paper.authors} {spec.paper.year}](https://arxiv.org/abs/{spec.paper.arxiv})"
    places = " and ".join(PLACES[hook] for hook in spec.hooks) or "nowhere"
    cells = (spec.title, f"`{spec.key}`", places, parameters, f"[`{module}`]({path})", paper)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(encoding_table())
