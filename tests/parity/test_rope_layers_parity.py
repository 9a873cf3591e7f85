from pe_core.encodings.rope_layers import on_some
from pe_core.encodings.rotary import Rotary, frequencies
from tests.cases import each
from tests.parity import oracle


@each("interval", [2, 4, 5])
@each("name", ["Llama4TextConfig", "SmolLM3Config"])
def test_transformers_turns_the_same_layers(name, interval):
    """Its list is named `no_rope_layers` and has a 1 where RoPE is used."""
    config = getattr(oracle("transformers"), name)(num_hidden_layers=11, no_rope_layer_interval=interval)
    rope = Rotary(frequencies(4), layout="half")
    ours = [on_some(rope, interval).at_layer(layer) is rope for layer in range(11)]
    assert ours == [bool(used) for used in config.no_rope_layers]
