# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`abax-perf compare`: what became faster or slower from one result file to another. docs/results.md says how that is
decided, and where the constants come from."""

import collections
import functools
import json
import math
import os
import pathlib
import statistics
import sys

try:
    import numpy
except ImportError:
    sys.exit(3)

from results import Refused, key_of, printable, read

# How much two runs of one program differ beyond what their passes show, as standard deviations of a time's logarithm.
BETWEEN_PROCESSES, BETWEEN_LAUNCHES = 0.015, 0.09
BETWEEN_PASSES = 0.02  # where a file has one only
OF_95, OF_90 = 1.96, 1.645  # standard deviations to each side of a normal distribution's middle
FEWEST_FOREIGN = 20  # peers that tell what the machine did
OWN = ("copy", "twin")  # peers that are a part of Abax


class Change(collections.namedtuple("Change", "log error")):
    """The logarithm of after / before, and its standard deviation."""

    def ratio(self):
        return math.exp(self.log)

    def within(self):
        return math.exp(self.log - OF_95 * self.error), math.exp(self.log + OF_95 * self.error)

    def __str__(self):
        return "{:.3f} ({:.3f}-{:.3f})".format(self.ratio(), *self.within())

    def json(self):
        return dict(zip(("ratio", "ratio_low", "ratio_high"), (self.ratio(), *self.within())))


class Row:
    def __init__(self, case, before, ratio, peers):
        self.case, self.key, self.before, self.ratio, self.peers = case, key_of(case), before, ratio, peers
        self.after, self.verdict = case["variants"][0]["median"], ""
        self.roof = 0.0


@functools.cache
def draws_of(passes):
    """400 draws, each the numbers of its samples, as many passes as there are and as many samples as each has, in
    blocks of neighbours (Politis and Romano, 1992), by the rule of `resampling` in suite/timing.hpp; and where the
    median of each is. Shorter draws are filled with the number of a sample that is larger than all."""
    draws, many = 400, len(passes)
    random, passes = numpy.random.default_rng(3), numpy.asarray(passes)
    begins, at = numpy.cumsum(passes) - passes, numpy.arange(passes.max())
    chosen = random.integers(0, many, (draws, many))
    n, begin = passes[chosen][..., None], begins[chosen][..., None]
    block = numpy.where(n < 16, 1, numpy.sqrt(n).astype(int))
    starts = (random.random((draws, many, at.size)) * n).astype(int)
    index = begin + (numpy.take_along_axis(starts, at // block * block, axis=2) + at % block) % n
    return numpy.where(at < n, index, passes.sum()).reshape(draws, -1), n.sum(axis=(1, 2)) // 2


def median_error(samples, passes):
    """How much the logarithm of the median would differ if the samples were taken anew, by chance alone. Draws of few
    passes vary too little by (many - 1) / many. Here that is corrected, because verdicts depend on this one variance;
    suite/timing.hpp, whose intervals are percentiles and only tell when to stop, does not."""
    index, middles = draws_of(tuple(passes))
    drawn = numpy.append(numpy.log(samples), numpy.inf)[index]
    drawn.partition(sorted(set(middles)), axis=1)
    variance, many = drawn[numpy.arange(len(drawn)), middles].var(ddof=1), len(passes)
    return math.sqrt(variance * many / (many - 1) if many > 1 else variance)


def change_of(after, passes_after, before, passes_before):
    squares = 0
    for variant, passes in ((after, passes_after), (before, passes_before)):
        squares += median_error(variant["samples"], passes) ** 2 + (0 if len(passes) > 1 else BETWEEN_PASSES**2)
    return Change(math.log(after["median"] / before["median"]), math.sqrt(squares))


def is_slower(change, threshold, sure):
    return change.log > math.log1p(threshold) and change.log > sure * change.error


def verdict_of(change, threshold, sure):
    if is_slower(change, threshold, sure):
        return "slower"
    if is_slower(Change(-change.log, change.error), threshold, sure):
        return "faster"
    return "same" if abs(change.log) + OF_90 * change.error <= math.log1p(threshold) else "uncertain"


def drift_of(rows, before, after):
    """What the machine did: the median change of the peers whose code is the same in both files; nothing of too few."""
    same = lambda peer: before["context"].get(peer) == after["context"].get(peer)
    logs = [c.log for r in rows for name, c in r.peers.items() if name not in OWN and same(name)]
    if len(logs) < FEWEST_FOREIGN:
        return Change(0.0, 0.0)
    middle = statistics.median_high(logs)
    spread = 1.4826 * statistics.median_high([abs(log - middle) for log in logs])
    return Change(middle, 1.25 * spread / math.sqrt(len(logs)))  # as a median of normal ones


def of_abax(row, drift, threshold):
    """What of a case's change is Abax': without what the machine did in all, and to the case's own ceiling."""
    log = row.ratio.log - drift.log
    roof = row.roof - drift.log if abs(row.roof) > math.log1p(threshold) else 0
    explained = min(max(roof, min(log, 0)), max(log, 0))
    return Change(log - explained, math.hypot(row.ratio.error, drift.error))


def mean_of(changes):
    """The geometric mean. Its error is what each one's makes, or what their scatter shows: whichever is larger."""
    n, logs = len(changes), [c.log for c in changes]
    scatter = statistics.variance(logs) / n if n > 1 else 0
    return Change(sum(logs) / n, math.sqrt(max(scatter, sum(c.error**2 for c in changes) / n**2)))


def moderate(rows):
    """Passes are few, and an error taken from one case's may be small by chance: a third of each is the typical one."""
    typical_abax = statistics.median_high([r.ratio.error**2 for r in rows]) if rows else 0
    of_peers = [c.error**2 for r in rows for c in r.peers.values()]
    typical_peers = statistics.median_high(of_peers) if of_peers else 0
    for r in rows:
        beyond = BETWEEN_LAUNCHES if r.key[0].startswith("launch") else BETWEEN_PROCESSES
        whole = lambda c, usual: Change(c.log, math.sqrt((2 * c.error**2 + usual) / 3 + beyond**2))
        r.ratio = whole(r.ratio, typical_abax)
        r.peers = {name: whole(c, typical_peers) for name, c in r.peers.items()}


def time_text(seconds):
    for factor, digits, unit in ((1e6, 1, "us"), (1e3, 2, "ms"), (1, 2, "s ")):
        if seconds * factor < 1000 or unit == "s ":
            return f"{seconds * factor:.{digits}f} {unit}"


def rate_text(rate, unit):
    giga = rate * 1e-9
    return f"{giga:.{2 if giga < 10 else 1 if giga < 100 else 0}f} {unit}"


def print_contexts(before, after):
    """Where the two runs differ in what figures depend on; ceilings are compared as numbers."""
    skipped = {"Begun"} | {c["backend"] for r in (before, after) for c in r["cases"]}
    for name in sorted((before["context"].keys() | after["context"].keys()) - skipped):
        was, now = (printable(r["context"].get(name, "(nothing)")) for r in (before, after))
        if was != now:
            print(f"{printable(name)} differs:\n  before  {was}\n  after   {now}")
    for results, name in ((before, "before"), (after, "after")):
        if results.get("status", "complete") != "complete":
            print(f"The run {name} was not completed: {printable(results['status'])}.")


def print_ceilings(rows, threshold):
    """Each ceiling that the machine itself did not reach again, within the threshold; how many."""
    said = {}
    for r in rows:
        now, roof = r.case["roof_rate"], r.case["roof"]
        was = now * math.exp(r.roof)
        name = f"{r.key[3]}'s ceiling {roof}" + (f" {r.key[1]}" if roof == "fma" else "")
        if max(was, now) > (1 + threshold) * min(was, now) and name not in said:
            unit = "GFLOP/s" if roof == "fma" else "GB/s"
            said[name] = print(f"{name} differs: before {rate_text(was, unit)}, after {rate_text(now, unit)}")
    return len(said)


def rows_of(before, after):
    """The cases of both; and lists of what cannot be compared, by their headings."""
    old_cases = {key_of(c): c for c in before["cases"]}
    new_keys = {key_of(c) for c in after["cases"]}
    rows, lists = [], collections.defaultdict(list)
    lists["Only before:"] = [" ".join(key) for key in old_cases if key not in new_keys]
    for case in after["cases"]:
        name, old = " ".join(key_of(case)), old_cases.get(key_of(case))
        if case["bits"] != "same":
            lists["Wrong bits after:"].append(f"{name}: {printable(case['bits'])}")
        if old is None:
            lists["Only after:"].append(name)
            continue
        if (case["operand_sets"] == 1) != (old["operand_sets"] == 1):  # a warm time says nothing of a cold one
            lists["Not compared, one run with its operands in the caches and one without:"].append(name)
            continue
        old_variants, new_variants = ({v["name"]: v for v in c["variants"]} for c in (old, case))
        lists["Only before:"] += [f"{name}, {printable(v)}" for v in old_variants if v not in new_variants]
        lists["Only after:"] += [f"{name}, {printable(v)}" for v in new_variants if v not in old_variants]
        both = [v for v in new_variants if v in old_variants]
        changes = {v: change_of(new_variants[v], case["passes"], old_variants[v], old["passes"]) for v in both}
        if "abax" in changes:
            rows.append(Row(case, old_variants["abax"]["median"], changes.pop("abax"), changes))
            rows[-1].roof = math.log(old["roof_rate"] / case["roof_rate"])
    return rows, lists


def print_kernels(rows):
    """By kernel: whether one of them changed by less than can be seen in a single case."""
    kernels = collections.defaultdict(list)
    for r in rows:
        kernels[r.key[3], r.key[0], r.key[1]].append(r)
    if len(kernels) == len(rows):
        return
    print("\nbackend kernel              type  cases  after / before         peers'")
    for (backend, kernel, of), group in sorted(kernels.items()):
        peers = [c for r in group for c in r.peers.values()]
        beside = f"{mean_of(peers).ratio():.3f}" if peers else ""
        mean = mean_of([r.ratio for r in group])
        print(f"{backend:<6}  {kernel:<18}  {of:<4}  {len(group):5}  {mean!s:<21}  {beside}")


def whole_of(rows, drift, threshold):
    """Of the runs as a whole: by the cases that moved, and else by the mean. The verdict, Abax' mean, the peers'."""
    if not rows:
        return "nothing to compare", None, None
    abax = mean_of([r.ratio for r in rows])
    peers = [c for r in rows for c in r.peers.values()]
    of_mean = verdict_of(Change(abax.log - drift.log, math.hypot(abax.error, drift.error)), threshold, OF_95)
    verdicts = {r.verdict for r in rows} | {of_mean}
    moved = " and ".join(v for v in ("slower", "faster") if v in verdicts)
    return moved or of_mean, abax, mean_of(peers) if peers else None


def write(path, rows, whole, drift, threshold, before, after):
    verdict, abax, peers = whole
    text = {"schema": "abax-perf-compare 2", "before": before, "after": after, "threshold": threshold}
    text |= {"verdict": verdict}
    text |= {"mean": abax.json()} if abax else {}
    text |= {"mean_of_peers": peers.json()} if peers else {}
    text |= {"machine": drift.ratio(), "cases": []}
    for r in rows:
        one = dict(zip(("kernel", "type", "shape", "backend"), r.key), before=r.before, after=r.after, **r.ratio.json())
        text["cases"].append(one | {"verdict": r.verdict, "peers": {name: c.json() for name, c in r.peers.items()}})
    file = pathlib.Path(path)
    try:
        incoming = file.with_name(f"{file.name}.{os.getpid()}")
        incoming.write_text(json.dumps(text, indent=1) + "\n")
        incoming.replace(file)
    except OSError as error:
        raise Refused(f"could not write {path}: {error.strerror}") from None


def compare(before_file, after_file, threshold, fail_on, everything, json_file):
    before, after = read(before_file), read(after_file)
    print_contexts(before, after)
    rows, lists = rows_of(before, after)
    moderate(rows)
    # As many deviations as chance leaves in one of all cases at most, in 95 of 100 such comparisons (Bonferroni).
    sure = statistics.NormalDist().inv_cdf(1 - 0.025 / max(1, len(rows)))
    drift = drift_of(rows, before, after)
    changed = print_ceilings(rows, threshold)

    counts, failures, headed = collections.Counter(), 0, False
    for r in rows:
        own = of_abax(r, drift, threshold)
        r.verdict = verdict_of(own, threshold, sure)
        counts[r.verdict] += 1
        failures += fail_on is not None and is_slower(own, fail_on, sure)
        if r.verdict in ("same", "uncertain") and not everything:
            continue
        if not headed:
            heading = "after / before (95 %)  peers'"
            print(f"\n{'kernel':<13} type {'shape':<20} backend  {'before':>9}  {'after':>10}  {heading}")
        headed = True
        logs = [c.log for c in r.peers.values()]
        peers = f"{math.exp(sum(logs) / len(logs)):.3f}" if logs else ""
        kernel, of, shape, backend = r.key
        print(f"{kernel:<13} {of:<3}  {shape:<20} {backend:<6}  {time_text(r.before):>10}  {time_text(r.after):>10}  "
              f"{r.ratio!s:<21}  {peers:>6}  {r.verdict}")  # fmt: skip
    print_kernels(rows)
    for title, lines in lists.items():
        if lines:
            print("\n" + "\n  ".join([title, *lines]))
    whole = verdict, abax, peers = whole_of(rows, drift, threshold)
    print(f"\nThe runs are: {verdict}")
    if abax:
        text = f"Abax takes {abax} of the time before, in the mean of {len(rows)} cases"
        text += f"; its peers {peers}" if peers else ""
        if drift.log:
            text += (f". The machine took {drift.ratio():.3f}, by the median of the peers that did not change: "
                     "verdicts are of what remains")  # fmt: skip
        print(text + ".")
    print(f"{len(rows)} compared: {counts['slower']} slower, {counts['faster']} faster, {counts['same']} same "
          f"(within {100 * threshold:g} %), {counts['uncertain']} uncertain.")  # fmt: skip
    if changed and counts["slower"] + counts["faster"]:
        print("The machine's own ceilings are others, too: run both again before you believe that Abax is.")
    if failures:
        print(f"Abax is slower by more than {100 * fail_on:g} % in {failures} of them.")
    if json_file:
        write(json_file, rows, whole, drift, threshold, before_file, after_file)
    return 0 if not failures and not lists["Wrong bits after:"] else 1


def main(before, after, threshold, fail_on, everything, json_file):
    try:
        return compare(
            before, after, float(threshold), float(fail_on) if fail_on else None, everything == "all", json_file
        )
    except Refused as refused:
        print(f"abax-perf: {printable(refused)}", file=sys.stderr)
        return 2
