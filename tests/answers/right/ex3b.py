"""Right answers to exercise 3b. All need torch, as the exercise does."""

from __future__ import annotations

from functools import partial

from answers.writing import right_answers
from answers.wrong.ex3b import fit, fused, measure, naive

right = partial(right_answers("ex3b-measured-memory"), needs="torch")

IN_PLACE = """
def naive_attention(Q, K, V):
    table = Q @ K.T
    table /= math.sqrt(K.shape[-1])
    table -= table.max(dim=-1, keepdim=True).values
    table.exp_()
    table /= table.sum(dim=-1, keepdim=True)
    return table @ V
"""
BY_HAND = """
def naive_attention(Q, K, V):
    scores = torch.einsum("ic,jc->ij", Q, K) * K.shape[1] ** -0.5
    shifted = scores - scores.amax(1, True)
    powers = torch.exp(shifted)
    total = powers.sum(1, keepdim=True)
    weights = powers / total
    return torch.einsum("ij,jc->ic", weights, V)
"""
IN_DOUBLE = """
def naive_attention(Q, K, V):
    q, k, v = (x.double() for x in (Q, K, V))
    weights = F.softmax(q.matmul(k.mT).div(math.sqrt(k.size(-1))), -1)
    return (weights @ v).to(Q.dtype)
"""
AS_A_MODULE = """
class Naive(torch.nn.Module):
    def forward(self, Q, K, V):
        scores = torch.baddbmm(torch.zeros(1, 1, 1, device=Q.device), Q[None], K[None].transpose(1, 2))
        return (torch.nn.Softmax(dim=-1)(scores / K.shape[-1] ** 0.5) @ V)[0]
naive_attention = Naive()
"""
RESHAPED = """
def fused_attention(Q, K, V):
    n, d_k = Q.shape
    q, k, v = Q.view(1, 1, n, d_k), K.reshape(1, 1, n, d_k), V.unsqueeze(0).unsqueeze(0)
    output = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0)
    return output.squeeze(0).squeeze(0)
"""
TILED = """
def fused_attention(Q, K, V, rows=16):
    output = torch.empty(len(Q), V.shape[1], dtype=V.dtype, device=V.device)
    for start in range(0, len(Q), rows):
        weights = torch.softmax(Q[start : start + rows] @ K.T / math.sqrt(K.shape[1]), dim=1)
        output[start : start + rows] = weights @ V
    return output
"""
KERNEL_NAMED = """
from torch.nn.attention import SDPBackend, sdpa_kernel
def fused_attention(Q, K, V):
    backends = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(backends):
        return F.scaled_dot_product_attention(*(x[None, None].contiguous() for x in (Q, K, V)))[0, 0]
"""
BY_PROFILER = """
from torch.profiler import ProfilerActivity, profile
def measure_peak_bytes(fn, *inputs):
    fn(*inputs)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as run:
        result = fn(*inputs)
        del result
    now = most = 0
    for event in sorted(run.profiler.kineto_results.events(), key=lambda event: event.start_ns()):
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return most
"""
OWN_MODE = """
import weakref
from torch.utils._python_dispatch import TorchDispatchMode
class Alive(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.sizes, self.most = {}, 0
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        given = {x.untyped_storage()._cdata for x in args if isinstance(x, torch.Tensor)}
        for x in made if isinstance(made, (tuple, list)) else [made]:
            if isinstance(x, torch.Tensor) and x.untyped_storage()._cdata not in given | self.sizes.keys():
                key = x.untyped_storage()._cdata
                self.sizes[key] = x.untyped_storage().nbytes()
                weakref.finalize(x.untyped_storage(), self.sizes.pop, key, None)
                self.most = max(self.most, sum(self.sizes.values()))
        return made
def measure_peak_bytes(fn, *inputs):
    fn(*inputs)
    with Alive() as alive:
        fn(*inputs)
    return alive.most
"""
CAREFUL = """
import gc
def measure_peak_bytes(fn, *inputs):
    for _ in range(3):
        fn(*inputs)
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    memory.reset_peak()
    start = memory.peak()
    result = fn(*inputs)
    most = memory.peak()
    return np.int64(most - start)
"""
STATISTICS = """
import statistics
def fit_exponent(ns, sizes):
    return statistics.linear_regression([math.log10(n) for n in ns], [math.log10(s) for s in sizes]).slope
"""
IN_TORCH = """
def fit_exponent(ns, sizes):
    x, y = (torch.tensor(list(values), dtype=torch.float64).log() for values in (ns, sizes))
    A = torch.stack([x, torch.ones_like(x)], dim=1)
    return torch.linalg.lstsq(A, y[:, None]).solution[0, 0]
"""

RIGHT = [
    right("naive: one expression", naive(result="torch.softmax(Q @ K.T / K.shape[1] ** 0.5, 1) @ V")),
    right("naive: in place", IN_PLACE),
    right("naive: softmax by hand", BY_HAND),
    right("naive: double precision inside", IN_DOUBLE),
    right("naive: a module", AS_A_MODULE),
    right("fused: reshaped", RESHAPED),
    right("fused: a batch of one more", fused("*(x.expand(1, 1, -1, -1) for x in (Q, K, V))")),
    right("fused: kernels named", KERNEL_NAMED),
    right("fused: tiles by hand", TILED),
    right("measure: a profiler's events", BY_PROFILER),
    right("measure: a mode of one's own", OWN_MODE),
    right("measure: three warm-ups, the peak as baseline", CAREFUL),
    right(
        "measure: the result kept",
        measure(
            "fn(*inputs)",
            "start = memory.now()",
            "memory.reset_peak()",
            "kept = [fn(*inputs)]",
            "return float(memory.peak() - start)",
        ),
    ),
    right("fit: sums", fit("((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()")),
    right("fit: a covariance", fit("np.cov(x, y)[0, 1] / np.var(x, ddof=1)")),
    right("fit: base 2", fit("np.polyfit(np.log2(ns), np.log2(sizes), 1)[0]")),
    right("fit: the statistics module", STATISTICS),
    right("fit: in torch", IN_TORCH),
]
