"""Defects of limits that are found in the data: who pays for the draw, when, and what is drawn."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

ACCOUNTS = ("tests/accounting/test_openings.py", "-k", "not postgresql")
DRAWS = ("tests/plan/test_calibrate.py",)
HISTOGRAMS = ("tests/engines/test_unit_histograms.py",)
_OPENINGS = "dpsql/accounting/ledger/openings.py"
_RECEIPTS = "dpsql/accounting/ledger/receipts.py"
_PROPOSALS = "dpsql/release/calibration/proposals.py"
_STAGE = "dpsql/stages/calibrate.py"
_SQL = "dpsql/engines/sqlgen/clipping/unit_histograms.py"

MUTANTS = (
    one(
        "a calibration charged to the dataset alone",
        _OPENINGS,
        "    names = dict.fromkeys((dataset_account(policy).name, *(a.name for a in limited), *paid_before))\n",
        "    names = dict.fromkeys((dataset_account(policy).name,))\n",
        ACCOUNTS,
    ),
    one(
        "analysts that the policy does not name pay nothing for a calibration",
        _OPENINGS,
        "*(a.name for a in limited), *paid_before))",
        "*(a.name for a in named_accounts(policy))))",
        ACCOUNTS,
    ),
    one(
        "a calibration that fits the dataset fits all accounts",
        _OPENINGS,
        "    for account in (*accounts, new_analyst(policy)):\n",
        "    for account in (dataset_account(policy),):\n",
        ACCOUNTS,
    ),
    one(
        "a calibration that leaves the next analyst without room",
        _OPENINGS,
        "    for account in (*accounts, new_analyst(policy)):\n",
        "    for account in accounts:\n",
        ACCOUNTS,
    ),
    one(
        "a new ledger that begins with nothing spent",
        "dpsql/accounting/ledger/spent.py",
        "    return replace(spent, whole=spent.whole + accountants.totals(_events(opening))) if opening else spent\n",
        "    return spent\n",
        ACCOUNTS,
    ),
    one(
        "an opening that every window begins with",
        "dpsql/accounting/ledger/ledger.py",
        "            self._open_accounts(request)\n",
        "            pass\n",
        ACCOUNTS,
    ),
    Mutant(
        "an opening that is paid again with each charge",
        (
            Edit(
                _RECEIPTS,
                "    return tuple(c for c in every.values() if not is_received(db, dataset, account, c.key))\n",
                "    return tuple(every.values())\n",
            ),
            Edit(_RECEIPTS, "    return int(row[0]) if row is not None else None\n", "    return None\n"),
        ),
        ACCOUNTS,
    ),
    one(
        "later accounts pay for a calibration once a policy lists it, and not before",
        _RECEIPTS,
        "    every = {c.key: c for c in (*opening, *_drawn_here(db, dataset, account))}\n",
        "    every = {c.key: c for c in opening}\n",
        ACCOUNTS,
    ),
    one(
        "a calibration costs what a policy says, whatever the ledger knows",
        _RECEIPTS,
        "(*opening, *_drawn_here(db, dataset, account))",
        "(*_drawn_here(db, dataset, account), *opening)",
        ACCOUNTS,
    ),
    one(
        "who paid for a calibration that was never kept pays again where it is listed",
        _RECEIPTS,
        "    return int(row[0]) if row is not None else None\n",
        "    return None\n",
        ACCOUNTS,
    ),
    one(
        "who began to pay while a calibration was drawn goes over the limit by it",
        _OPENINGS,
        "        _require_room(db, dataset, paid.policy, _unnamed(paid.policy, late), *terms)\n",
        "        pass\n",
        ACCOUNTS,
    ),
    one(
        "who began to pay while a calibration was drawn pays for it when they ask again, and not before",
        _OPENINGS,
        "    late = [name for name in known_accounts(db, dataset) if name not in paid_at_once]\n",
        "    late: list[str] = []\n",
        ACCOUNTS,
    ),
    one(
        "an opening taken for the analyst's last query",
        "dpsql/accounting/ledger/spent.py",
        "c.entry = entries.id AND c.canonical = ?",
        "c.entry = entries.id AND c.canonical = ? || 'x'",
        ACCOUNTS,
    ),
    one(
        "rows read before a calibration is charged",
        _STAGE,
        "        paid = ground.ledger.pay_for_calibration(",
        "        _ = [ground.engine.run(query) for query in queries]\n"
        "        paid = ground.ledger.pay_for_calibration(",
        DRAWS,
    ),
    one(
        "a calibration counts values that prepared tables have clamped",
        "dpsql/session.py",
        "closing(open_sources(policy))",
        "closing(open_resources(policy, sources))",
        DRAWS,
    ),
    one(
        "each histogram drawn with the epsilon of all",
        _STAGE,
        "histogram_noise(draw, policy.privacy.neighbours)",
        "histogram_noise(CalibratedDraw(draw.name, epsilon, 1), policy.privacy.neighbours)",
        DRAWS,
    ),
    one(
        "a histogram of replaced units with the noise of one that came or went",
        _STAGE,
        "histogram_noise(draw, policy.privacy.neighbours)",
        'histogram_noise(draw, type(policy.privacy.neighbours)("add_remove"))',
        DRAWS,
    ),
    one(
        "bins without units have no noise",
        _STAGE,
        "noisy = [noise.add(_counts(units), 1, ground.sampler) for units in exact]",
        "noisy = [noise.add(_counts(units), 1, ground.sampler) * (_counts(units) > 0) for units in exact]",
        DRAWS,
    ),
    one(
        "a unit in a bin for each of its rows",
        _SQL,
        'by_unit = f" GROUP BY {UNIT}" if histogram.by_unit else ""',
        'by_unit = f" GROUP BY {UNIT}, random()" if histogram.by_unit else ""',
        HISTOGRAMS,
    ),
    one(
        "a person without values counted with the largest of all",
        _SQL,
        'size = f"coalesce(abs({_steps(column, histogram.step)}), 0)"',
        'size = f"least(abs({_steps(column, histogram.step)}), {LARGEST})"',
        HISTOGRAMS,
    ),
    one(
        "integers cast before they are moved into 2^62 steps",
        _SQL,
        "        inside = clamped(raw, -most, most)\n",
        "        inside = raw\n",
        HISTOGRAMS,
    ),
    one(
        "a number at the end of a bin counted in the next",
        _SQL,
        "length(bin(t * t - 1))",
        "length(bin(t * t))",
        HISTOGRAMS,
    ),
    one(
        "a looser limit is proposed where it gains nothing",
        _PROPOSALS,
        "self.errors[1] <= _CLEARLY * self.errors[0]",
        "self.errors[1] <= self.errors[0]",
        DRAWS,
    ),
    one(
        "a limit between two of the curve loses what the larger one does",
        _PROPOSALS,
        "    return below.lost + (above.lost - below.lost) * share\n",
        "    return above.lost\n",
        DRAWS,
    ),
)
