"""What a server says of a page and of its steps, as messages to a browser."""

from hashlib import md5
from itertools import count

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

MINE, OTHER = "mine", "other"
DONE, INTERRUPTED = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, ForwardMsg.FINISHED_EARLY_FOR_RERUN
_NUMBERS = count()


def element(place, body, *, fragment=MINE, acts=False):
    """A paragraph at a place of the page."""
    message = ForwardMsg()
    message.delta.new_element.markdown.body = body
    if acts:
        message.delta.new_element.has_one_shot_effect = True
    return placed(message, place, fragment)


def container(place, *, fragment=MINE, key="", folds=False):
    """A container at a place of the page, one that `folds` or one without a state."""
    message = ForwardMsg()
    message.delta.add_block.id = key
    if folds:
        message.delta.add_block.expandable.label = "More"
    else:
        message.delta.add_block.flex_container.SetInParent()
    return placed(message, place, fragment)


def placed(message, place, fragment):
    """The message with its place, its fragment and its hash."""
    message.hash = md5(message.SerializeToString()).hexdigest()
    message.metadata.delta_path.extend(place)
    message.delta.fragment_id = fragment
    return message


def begun(*fragments, run="run"):
    """The message that begins a run of fragments, or of the whole page."""
    message = ForwardMsg()
    message.new_session.SetInParent()
    return _of_run(message, fragments, run)


def ended(*fragments, run="run", how=DONE):
    """The message that ends a run."""
    return _of_run(ForwardMsg(script_finished=how), fragments, run)


def _of_run(message, fragments, run):
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def page(*parts):
    """A whole page of copies of these parts."""
    return [begun(), *(copied(part) for part in parts), ended(how=ForwardMsg.FINISHED_SUCCESSFULLY)]


def step(*parts, how=DONE, fragment=MINE):
    """A step of the fragment with copies of these parts."""
    run = f"run {next(_NUMBERS)}"
    return [begun(fragment, run=run), *(copied(part) for part in parts), ended(fragment, run=run, how=how)]


def copied(part):
    """A copy of a message: what passes is changed."""
    message = ForwardMsg()
    message.CopyFrom(part)
    return message


def told(messages):
    """The places that are told, with the fragment's name of each part."""
    return {
        tuple(message.metadata.delta_path): message.delta.fragment_id
        for message in messages
        if message.WhichOneof("type") == "delta"
    }
