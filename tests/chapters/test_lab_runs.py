"""Pictures of kept runs: lengths count in the training lengths of each run."""

from pe_core.chapters.lab import two_runs, two_task_runs

FIRST = (("RoPE", ((16, 2.0), (32, 2.5), (128, 3.5))),)
SECOND = (("ALiBi", ((64, 1.5), (512, 1.6))), ("RoPE", ((64, 1.4), (512, 3.0))))


def points(**lines):
    return two_runs(**lines).frames["lines"].to_numpy().tolist()


def test_lengths_are_multiples_of_the_training_length_of_each_run():
    assert points(first=FIRST, second=SECOND) == [
        [1.0, 2.0, "RoPE", "first run"],
        [2.0, 2.5, "RoPE", "first run"],
        [8.0, 3.5, "RoPE", "first run"],
        [1.0, 1.5, "ALiBi", "second run"],
        [8.0, 1.6, "ALiBi", "second run"],
        [1.0, 1.4, "RoPE", "second run"],
        [8.0, 3.0, "RoPE", "second run"],
    ]


def test_of_tasks_the_same_lengths_carry_fractions():
    fractions = (("RoPE", ((16, 1.0), (128, 0.25))),)
    frame = two_task_runs(first=fractions, second=()).frames["lines"]
    assert frame.to_dict("list") == {
        "x": [1.0, 8.0],
        "y": [1.0, 0.25],
        "name": ["RoPE", "RoPE"],
        "run": ["first run", "first run"],
    }
