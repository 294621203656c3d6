"""The message window at its ends."""

from brim.selection.message_window import keep_newest


def test_no_messages():
    """An empty conversation is cut at its one end."""
    assert keep_newest([0], [0]).cut == 0


def test_none_recent():
    """Where no message is to be kept, all are summarized but the user's last."""
    fit = keep_newest([0, 5, 9], [0, 1, 2], last_user=0, recent=0)
    assert (fit.cut, fit.last_user, fit.kept_tokens, fit.reason) == (2, 0, 5, "last messages")
