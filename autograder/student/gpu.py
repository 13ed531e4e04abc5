"""Is there a GPU that can be graded on? Asked once, before anybody's work is run on it."""

from __future__ import annotations

from autograder.student.host import Host
from autograder.student.process import Ended, StudentProcess

NEEDED = 2 * 2**30  # bytes free: a notebook measures up to n = 4,096, and a driver takes some hundred MiB for itself
LOOK = "import torch\ndef look(): return list(torch.cuda.mem_get_info()) if torch.cuda.is_available() else None"


def fault(host: Host) -> str | None:
    """Return why this machine's GPU cannot be graded on, with what to do; None where it can.

    Raises MachineFault where no process can be started.
    """
    process = StudentProcess(host, {})
    try:
        process.run_cell(LOOK)
        answer = process.call("look", (), {})
    except Ended:
        return "the process that looks for a GPU ended; grade on the CPU, without 'device' in course_config.py"
    finally:
        process.close()
    return judge(answer.value if answer.op == "value" else None)


def judge(memory: object) -> str | None:
    """The same from [free, total] bytes, or from None where torch finds no GPU."""
    if not isinstance(memory, list) or len(memory) != 2:
        return (
            "course_config.py asks for a GPU and torch finds none here: install a torch with CUDA and a driver, or "
            "take 'device' out of the assignment's entry and grade on the CPU"
        )
    free, total = memory
    if free >= NEEDED:
        return None
    some = f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB of the GPU are free and {NEEDED / 2**30:g} are needed"
    if total < NEEDED:
        return f"{some}: it is too small; take 'device' out of the assignment's entry and grade on the CPU"
    return f"{some}: other work is using it; grade again when that has ended"
