"""Defects of the accountants and of what the ledger adds up."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

ACCOUNTANTS = ("tests/accounting/test_accountants.py",)
REFERENCES = ("tests/accounting/test_references.py",)
WINDOWS = ("tests/accounting/test_windows.py",)
POSTGRES = ("tests/accounting/test_postgres_ledger.py",)
LEDGER = ("tests/accounting/test_ledger.py",)
AUDIT = ("tests/accounting/test_audit_log.py",)
CURVES = ("tests/mechanisms/test_curves.py",)
RECEIVED = ("tests/answers/test_received.py",)
FINISHED = ("tests/answers/test_finished.py",)
REFINEMENT = ("tests/mechanisms/test_refinement.py",)

OTHERS = ("tests/attacks/test_others.py", "-k", "failed_query or beside_a_new_draw")

MUTANTS = (
    one(
        "what others had drawn is received before its turn",
        "dpsql/accounting/ledger/stored_releases.py",
        "    if not dues.drawn:\n",
        "    if dues.unpaid:\n",
        OTHERS,
    ),
    one(
        "what others had drawn is never received beside a new draw",
        "dpsql/stages/draw.py",
        "        s.ledger.hand_over(stored, charge.key)\n",
        "        pass\n",
        OTHERS,
    ),
    one(
        "one query may cost any delta",
        "dpsql/accounting/ledger/balances.py",
        "(paid.epsilon > most.epsilon or paid.delta > most.delta)",
        "paid.epsilon > most.epsilon",
        LEDGER,
    ),
    one(
        "a query is said to be covered that needs more delta than one may cost",
        "dpsql/accounting/ledger/ledger.py",
        "cost.epsilon <= most.epsilon and cost.delta <= most.delta and",
        "cost.epsilon <= most.epsilon and",
        LEDGER,
    ),
    one(
        "charges on a server that do not wait for each other",
        "dpsql/accounting/storage/postgres.py",
        'f"SELECT pg_advisory_xact_lock({APPLICATION})"',
        '"SELECT 1"',
        POSTGRES,
    ),
    one(
        "a charge on a server that is not synced where the user's default says so",
        "dpsql/accounting/storage/postgres.py",
        'level = "on" if durable else "off"',
        'level = "off"',
        POSTGRES,
    ),
    one(
        "permute-and-flip taken for a mechanism of bounded range",
        "dpsql/accounting/accountants/losses.py",
        "    if event.mechanism is Mechanism.EXPONENTIAL:\n        return zcdp_of_exponential_mechanism",
        "    if event.mechanism in (Mechanism.EXPONENTIAL, Mechanism.PERMUTE_AND_FLIP):\n"
        "        return zcdp_of_exponential_mechanism",
        ACCOUNTANTS,
    ),
    one(
        "the union bound over the orders left out",
        "dpsql/accounting/accountants/rdp.py",
        "part = delta / len(ORDERS)",
        "part = delta",
        ACCOUNTANTS,
    ),
    one(
        "the whole delta for converting beside the reserved deltas",
        "dpsql/accounting/accountants/filters.py",
        "share = limit.delta * CONVERTED_SHARE",
        "share = limit.delta",
        ACCOUNTANTS,
    ),
    one(
        "reserved deltas without a limit",
        "dpsql/accounting/accountants/filters.py",
        "if after.exact(RESERVED, DELTA_UNITS) > limit.delta * (1 - CONVERTED_SHARE):",
        "if after.exact(RESERVED, DELTA_UNITS) > 1:",
        ACCOUNTANTS,
    ),
    one(
        "plain addition also where a Gaussian was charged",
        "dpsql/accounting/accountants/filters.py",
        "if not after.get(GAUSSIANS) and after",
        "if after",
        ACCOUNTANTS,
    ),
    one(
        "a Gaussian counted by what it was asked at",
        "dpsql/accounting/accountants/losses.py",
        "    if event.variance is not None:\n        return gaussian.rho",
        "    if event.variance is not None and event.cost.epsilon > 10:\n        return gaussian.rho",
        ACCOUNTANTS,
    ),
    one(
        "Gaussian noise that was charged under zcdp counted as pure by approx",
        "dpsql/accounting/accountants/basic.py",
        "UNPROVEN: sum(map(is_nominal, events)),",
        "UNPROVEN: 0,",
        ACCOUNTANTS,
    ),
    one(
        "rho of a Gaussian halved",
        "dpsql/mechanisms/analysis/gaussian.py",
        "return squared / (2 * exact_positive",
        "return squared / (4 * exact_positive",
        REFERENCES,
    ),
    one(
        "the curve of discrete Laplace without its second term",
        "dpsql/mechanisms/analysis/curves.py",
        "factor = up.add(large, up.multiply(small, exp_up(power, up)))",
        "factor = large",
        CURVES,
    ),
    one(
        "an eighth becomes a sixteenth for bounded range",
        "dpsql/mechanisms/analysis/composition.py",
        "return exact_epsilon(epsilon) ** 2 / 8",
        "return exact_epsilon(epsilon) ** 2 / 16",
        REFERENCES,
    ),
    one(
        "a window that forgets what was spent in it",
        "dpsql/accounting/ledger/spent.py",
        "return _since(db, dataset, account.name, last, int(row[0])).each(in_window)",
        "return Balance()",
        WINDOWS,
    ),
    one(
        "a role that pays for nothing",
        "dpsql/accounting/ledger/balances.py",
        "else self.by_role",
        "else ()",
        WINDOWS,
    ),
    one(
        "a clock that may be set back",
        "dpsql/accounting/ledger/balances.py",
        "    if now < last - TOLERANCE:",
        "    if now < 0:",
        WINDOWS,
    ),
    one(
        "a clock that is corrected opens the window before",
        "dpsql/accounting/ledger/balances.py",
        "    return max(now, last)",
        "    return now",
        WINDOWS,
    ),
    one(
        "datasets that share their balances",
        "dpsql/accounting/ledger/ledger.py",
        "        self._dataset = dataset\n",
        '        self._dataset = dataset and "main"\n',
        WINDOWS,
    ),
    one(
        "lines of the log that do not hold on to the line before",
        "dpsql/accounting/ledger/audit_log.py",
        "    return digest((before, *fields))",
        "    return digest(fields)",
        AUDIT,
    ),
    one(
        "charges that are not synced to disk",
        "dpsql/accounting/storage/sqlite.py",
        "{'FULL' if wait else 'NORMAL'}",
        "{'NORMAL' if wait else 'OFF'}",
        AUDIT,
    ),
    one(
        "verification that believes the totals",
        "dpsql/accounting/ledger/verify.py",
        "if counts and written.pop(account, None) != recount.written(head.id):",
        "if counts and not written.pop(account, None):",
        AUDIT,
    ),
    one(
        "the rho of a pure release halved",
        "dpsql/mechanisms/analysis/curves.py",
        "    return min(loss * (1 - low) / (1 + low), loss * loss / 2)",
        "    return min(loss * (1 - low) / (1 + low), loss * loss / 2) / 2",
        CURVES,
    ),
    one(
        "a filter on keys taken for the same rows under a dataset's cap",
        "dpsql/plan/derivation.py",
        "    return on_keys and all(b.rows is None and b.groups is None for b in bounds)",
        "    return on_keys and all(b.groups is None for b in bounds)",
        RECEIVED,
    ),
    one(
        "a filter on keys taken for the same groups of a unit under max_groups_per_unit",
        "dpsql/plan/derivation.py",
        "    return on_keys and all(b.rows is None and b.groups is None for b in bounds)",
        "    return on_keys and all(b.rows is None for b in bounds)",
        RECEIVED,
    ),
    one(
        "conditions on other columns than keys taken for conditions on groups",
        "dpsql/plan/derivation.py",
        "    on_keys = all(columns_of(c) and columns_of(c) <= columns and not parameters_of(c) for c in dropped)",
        "    on_keys = True",
        RECEIVED,
    ),
    one(
        "a condition on no column forgotten where an earlier answer is read",
        "dpsql/plan/derivation.py",
        "    on_keys = all(columns_of(c) and columns_of(c) <= columns",
        "    on_keys = all(columns_of(c) <= columns",
        RECEIVED,
    ),
    one(
        "groups added up over a key that rows may lack",
        "dpsql/plan/derivation.py",
        "    return isinstance(key, Column) and (not nullable or any(group[at] is None for group in groups))",
        "    return isinstance(key, Column)",
        RECEIVED,
    ),
    one(
        "a release believed without planning it again",
        "dpsql/stages/received_releases.py",
        "return replanned[0] if replanned is not None and charge in replanned[1] else None",
        "return replanned[0] if replanned is not None else None",
        ("tests/answers/test_averaged_draws.py",),
    ),
    one(
        "what others received found as well",
        "dpsql/accounting/ledger/stored_releases.py",
        "WHERE r.dataset = ? AND r.account = ? AND r.about",
        "WHERE r.dataset = ? AND r.account != ? || '!' AND r.about",
        RECEIVED,
    ),
    one(
        "a fresh draw under the stored key",
        "dpsql/stages/reuse.py",
        "Charge(digest(FRESH, nonce, c.key)",
        "Charge(c.key",
        RECEIVED,
    ),
    Mutant(
        "what was received under one ledger remembered under another",
        (
            Edit(
                "dpsql/stages/reuse.py",
                "s.received.find(query.memory)\n    if isinstance(remembered, PreparedQuery) "
                "and _is_held(remembered, s):",
                "s.plans.find(query.memory)\n    if isinstance(remembered, PreparedQuery):",
            ),
            Edit("dpsql/stages/reuse.py", "s.received.keep(query.memory", "s.plans.keep(query.memory"),
        ),
        (*RECEIVED, "-k", "another"),
    ),
    one(
        "an answer in memory given again whatever draw stands in the ledger",
        "dpsql/release/prepared_query.py",
        " and last[0].payloads == payloads else None",
        " else None",
        FINISHED,
    ),
    one(
        "an answer in memory that reads the budget as it was",
        "dpsql/stages/draw.py",
        "    if query.cut.system:\n        return None\n",
        "",
        FINISHED,
    ),
    one(
        "the atom of a refinement left out",
        "dpsql/mechanisms/noise/refinement.py",
        "return times(b, less(ONE, times(a, a)), s)",
        "return times(b, less(ONE, times(a, ONE)), s)",
        REFINEMENT,
    ),
    one(
        "a query for nothing of which one release was received",
        "dpsql/accounting/ledger/stored_releases.py",
        "if not all(is_received(",
        "if not any(is_received(",
        ("tests/accounting/test_ledger.py",),
    ),
    one(
        "a digest over the charges as they were asked",
        "dpsql/accounting/ledger/balances.py",
        "tuple(sorted(_charges(head.id, bill.dues)))",
        "tuple(_charges(head.id, bill.dues))",
        AUDIT,
    ),
)
