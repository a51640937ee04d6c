"""Whether an exception that a signal raises now would be lost; quick to import."""

import gc
from _thread import get_ident, start_new_thread
from sys import _current_frames
from time import sleep

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from collections.abc import Callable
    from signal import pthread_kill
    from types import FrameType
else:
    from _signal import pthread_kill  # `signal` takes its time for its enumerations

_LOADERS = ("importlib.", "_frozen_importlib", "llvmlite.", "numba.")
_CALLED_BY_LLVM = "_raw_object_cache_"
"""Names of functions that llvmlite lets C call: ctypes drops their exceptions."""
_OWNERS = (
    ("subprocess", "__init__"),
    ("multiprocessing.process", "start"),
    ("tempfile", "__init__"),
    ("shutil", "rmtree"),
    (f"{__package__}.solvers.running.clock", "stopped"),
)
"""Functions that close a descriptor twice, or lose a child, a folder or the clock."""
_AGAIN = 0.05
"""Seconds after which a signal is sent again that came at a bad moment."""

holding: list[None] = []
"""Has an item while a block of ours must not be left."""
pending: set[int] = set()
"""Signals that were put off."""
impatient: "list[Callable[[int], object]]" = []
"""Called if Ctrl-C is pressed once more while it is put off."""
_sent_again: list[int] = []


def uninterruptible(frame: "FrameType | None") -> bool:
    """Return whether a frame, or one that called it, must not raise KeyboardInterrupt.

    It must not while a module is imported or numba compiles, since half a module, or
    half of what numba registers, would be of no use later, and other code would fail;
    nor where LLVM hands over machine code, or Python drops an object or calls back
    from collecting garbage, where the exception would be printed and forgotten; nor
    while a child is started, or a folder for its files is made or removed.
    """
    if holding:
        return True
    collecting = [getattr(each, "__code__", None) for each in gc.callbacks]
    while frame is not None:
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if module.startswith(_LOADERS) or (module, name) in _OWNERS:
            return True
        if name == "__del__" or name.startswith(_CALLED_BY_LLVM):
            return True
        if frame.f_code in collecting:
            return True
        frame = frame.f_back
    return False


def put_off(number: int, frame: "FrameType | None") -> bool:
    """Send a signal again a moment later if its exception would be lost now."""
    own = number in _sent_again
    if own:
        _sent_again.remove(number)
    if not uninterruptible(frame):
        pending.discard(number)
        return False
    if number in pending and not own and not holding:
        for call in impatient:
            call(number)
        return bool(impatient)
    send_later(number)
    return True


def send_later(number: int) -> None:
    """Send this thread a signal again a moment later."""
    pending.add(number)
    start_new_thread(_send_again, (number, get_ident()))


def _send_again(number: int, thread: int) -> None:
    sleep(_AGAIN)
    # Not sooner, or a press of the user's that comes with it would not be noticed.
    while uninterruptible(_current_frames().get(thread)):
        sleep(_AGAIN)
    _sent_again.append(number)
    pthread_kill(thread, number)
