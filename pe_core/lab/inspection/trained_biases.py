"""What training makes of the learned biases: small models, each with one of them, and the file of their parameters.

`python -m pe_core.lab.inspection.trained_biases` trains for some minutes and writes biases.json.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from pe_core.files import KEPT_RUNS, check_writable, write_whole
from pe_core.lab.experiment.datasets import Corpus, built_in
from pe_core.lab.experiment.run import one_thread
from pe_core.lab.experiment.settings import RunConfig, read_config
from pe_core.lab.experiment.training import build_model, train
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.record_file import check_format, head, rounded

KEPT = KEPT_RUNS / "biases.json"
ENCODINGS = ("t5", "kerple_log", "kerple_power", "fire")
LENGTHS = (16, 32, 64, 128)  # of the texts of training
CONFIG = RunConfig(ENCODINGS, n_heads=8, steps=1_000)


@dataclass(frozen=True)
class TrainedBiases:
    """The parameters of each encoding by training length, as its `state_dict` names them, and the run's settings."""

    config: RunConfig
    parameters: Mapping[int, Mapping[str, Mapping[str, Any]]]

    def state(self, encoding: str, train_length: int) -> dict[str, Tensor] | None:
        """Return the trained parameters of an encoding; None where no model was trained on texts of this length."""
        found = self.parameters.get(train_length, {}).get(encoding)
        return None if found is None else {name: torch.tensor(values) for name, values in found.items()}


def trained(config: RunConfig, encoding: str, corpus: Corpus) -> dict[str, Any]:
    """Return the parameters of an encoding after its model was trained on the corpus, as lists of numbers."""
    model = build_model(config, encoding, corpus)
    with one_thread():
        for _ in train(model, encoding, corpus, config):
            pass
    return {name: rounded(values.tolist()) for name, values in model.encoding.state_dict().items()}


@cache
def kept() -> TrainedBiases:
    """Return the run that comes with the project: one object for the whole process."""
    facts = json.loads(KEPT.read_text(encoding="utf-8"))
    check_format(facts)
    parameters = {int(length): by_encoding for length, by_encoding in facts["parameters"].items()}
    return TrainedBiases(read_config(facts["settings"]), parameters)


def main() -> None:
    """Train all models, say which is done, and write the file."""
    check_writable(KEPT)
    corpus, parameters = built_in(), {}
    for length in LENGTHS:
        config = replace(CONFIG, train_length=length)
        parameters[length] = {encoding: trained(config, encoding, corpus) for encoding in ENCODINGS}
        print(f"texts of {length} characters: {', '.join(ENCODINGS)}", flush=True)
    facts = {**head(CONFIG.settings(), text_facts(corpus)), "parameters": parameters}
    write_whole(KEPT, (json.dumps(facts) + "\n").encode())


if __name__ == "__main__":
    main()
