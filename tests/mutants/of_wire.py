"""Defects of the PostgreSQL protocol: what would charge unasked, tell too much, or lose what was cancelled."""

from __future__ import annotations

from mutants.mutant import one

SCRIPTS = ("tests/wire/test_scripts.py",)
READING = ("tests/wire/test_session_reading.py",)
CANCEL = ("tests/wire/test_cancel.py",)
DRIVER = ("tests/wire/test_psycopg.py",)
VALUES = ("tests/wire/test_values.py",)
BLOCKS = ("tests/wire/test_cell_blocks.py",)
HOSTILE = ("tests/wire/test_hostile_messages.py",)
LISTS = ("tests/answers/test_bound_lists.py",)
ARRAYS = ("tests/wire/test_array_parameters.py",)
GATE = ("tests/sql/test_gate_cases.py",)

MUTANTS = (
    one(
        "Describe that runs the query",
        "dpsql/interfaces/wire/client_session.py",
        "lambda c: c.describe(sql, values)).columns\n",
        "lambda c: c.execute(sql, values)).columns\n",
        SCRIPTS,
    ),
    one(
        "an answer that is charged before it is known that its client can read it",
        "dpsql/interfaces/wire/inner_calls.py",
        "check_told(told, planned)",
        "check_told(told, told)",
        READING,
    ),
    one(
        "an answer of a type that cannot be sent, which is charged all the same",
        "dpsql/interfaces/wire/inner_calls.py",
        "    check_sendable(planned)\n",
        "",
        SCRIPTS,
    ),
    one(
        "formats of another number than columns, which are found after the charge",
        "dpsql/interfaces/wire/extended_query.py",
        "if len(bind.results) > 1:",
        "if False:",
        SCRIPTS,
    ),
    one(
        "a setting of dpsql's that is taken without a look at the policy",
        "dpsql/interfaces/wire/session_state.py",
        "            self.calls.check(settings.own)\n",
        "            pass\n",
        SCRIPTS,
    ),
    one(
        "a rollback that says nothing of what was charged",
        "dpsql/interfaces/wire/client_session.py",
        "        self.transaction.charged |= charged\n",
        "",
        DRIVER,
    ),
    one(
        "a cancelled call of a transaction that is taken as free",
        "dpsql/interfaces/wire/client_session.py",
        "self.transaction.charged |= failure.sqlstate == CANCELLED",
        "self.transaction.charged |= False",
        CANCEL,
    ),
    one(
        "a call that was given up before its turn and is made all the same",
        "dpsql/interfaces/wire/inner_calls.py",
        "                if not self._given_up:\n                    self._done",
        "                if True:\n                    self._done",
        CANCEL,
    ),
    one(
        "a cancelled call whose connection the next one uses",
        "dpsql/interfaces/wire/inner_calls.py",
        "            self._connection = self._runner = None\n            raise cancelled()",
        "            self._runner = None\n            raise cancelled()",
        CANCEL,
    ),
    one(
        "a failure inside whose text the client is told",
        "dpsql/interfaces/wire/failures.py",
        'return Failure("XX000", InternalError.SENTENCE)',
        'return Failure("XX000", str(error))',
        READING,
    ),
    one(
        "statements that are run in a failed transaction",
        "dpsql/interfaces/wire/transactions.py",
        "        if self.phase is Phase.FAILED:\n            raise Failure",
        "        if False:\n            raise Failure",
        SCRIPTS,
    ),
    one(
        "what was set behind a savepoint comes back at COMMIT",
        "dpsql/interfaces/wire/transactions.py",
        "        self.kept = self.savepoints[at].kept\n",
        "",
        SCRIPTS,
    ),
    one(
        "what was set in a text that fails stands, and later queries are charged by it",
        "dpsql/interfaces/wire/transactions.py",
        "            self.end(self.before, self.opened)\n            return self.before\n",
        "            self.end(self.kept, self.opened)\n            return self.kept\n",
        SCRIPTS,
    ),
    one(
        "messages behind a failed one that are answered before Sync",
        "dpsql/interfaces/wire/conversation.py",
        "elif skipping or message.kind in _IGNORED:",
        "elif message.kind in _IGNORED:",
        SCRIPTS,
    ),
    one(
        "a message whose length is believed",
        "dpsql/interfaces/wire/messages.py",
        "if count < 0 or end > len(self._bytes):",
        "if count < 0:",
        HOSTILE,
    ),
    one(
        "a value of another type that is sent as it comes",
        "dpsql/interfaces/wire/values/text_columns.py",
        "        if kinds <= only:\n",
        "        if kinds:\n",
        VALUES,
    ),
    one(
        "a whole number that loses its highest bits in binary",
        "dpsql/interfaces/wire/values/cell_blocks.py",
        "    if len(numbers) and not (-most <= int(numbers.min()) and int(numbers.max()) < most):",
        "    if False:",
        BLOCKS,
    ),
    one(
        "the bytes of a NULL that are sent",
        "dpsql/interfaces/wire/values/cell_blocks.py",
        "kept if self.nulls is None else kept & ~self.nulls[:, None]",
        "kept",
        BLOCKS,
    ),
    one(
        "a double that is written with fewer digits than tell it from its neighbours",
        "dpsql/interfaces/wire/values/digit_blocks.py",
        " & (whole / power == numbers)",
        " & (abs(whole / power - numbers) < 1e-9)",
        BLOCKS,
    ),
    one(
        "an unknown setting that is taken as if it had an effect",
        "dpsql/interfaces/wire/settings.py",
        "    if not known:\n        raise Failure(",
        "    if False:\n        raise Failure(",
        READING,
    ),
    one(
        "a FETCH that is fetched from itself",
        "dpsql/interfaces/wire/client_session.py",
        "        if portal.prepared.client is not None:\n            raise",
        "        if False:\n            raise",
        SCRIPTS,
    ),
    one(
        "a value of EXECUTE that is cast to one type and taken as one of another",
        "dpsql/interfaces/wire/bound_parameters.py",
        "        if constant.type is not None and oid_of_name(constant.type) != oid:",
        "        if False:",
        SCRIPTS,
    ),
    one(
        "a call beyond an analyst's limit that is told as a failure after a charge",
        "dpsql/interfaces/wire/failures.py",
        "        case TooManyCalls():\n            return TOO_MANY\n",
        "",
        READING,
    ),
    one(
        "an empty list that an engine gets as the value of no placeholder",
        "dpsql/stages/arguments/list_values.py",
        "    if statement.sources is not None:",
        "    if statement.sources:",
        LISTS,
    ),
    one(
        "<> ALL of a bound list that is read as = ANY",
        "dpsql/sql/normalize/written_lists.py",
        "return listed if is_any else exp.Paren(this=exp.Not(this=listed))",
        "return listed",
        LISTS,
    ),
    one(
        "a plan that is kept for a list and used for another, of values that Python takes for equal",
        "dpsql/stages/state.py",
        "        return (type(value), tuple(map(_value_key, value)))",
        "        return (type(value), tuple(value))",
        LISTS,
    ),
    one(
        "an array whose values are read as of a type that its client did not declare",
        "dpsql/interfaces/wire/values/array_items.py",
        "        if item != oid:",
        "        if False:",
        ARRAYS,
    ),
    one(
        "placeholders ? and $1 in one statement, which have the same name",
        "dpsql/sql/lex/tokens.py",
        "    _check_one_kind(items)\n",
        "",
        GATE,
    ),
    one(
        "a search path through public that is taken where the policy has other tables there",
        "dpsql/interfaces/wire/settings.py",
        'if name == "search_path" and not public_is_main and',
        'if name == "search_path" and False and',
        READING,
    ),
    one(
        "a kind of transaction that is kept behind its end",
        "dpsql/interfaces/wire/settings.py",
        "if n not in _OF_TRANSACTION}",
        "if n}",
        SCRIPTS,
    ),
    one(
        "a cursor behind its last row that goes back to the row before it",
        "dpsql/interfaces/wire/cursor_steps.py",
        "len(rows) == most else size + 1",
        "len(rows) == most else size",
        SCRIPTS,
    ),
    one(
        "a cursor whose query is looked at when its driver has begun to describe it",
        "dpsql/interfaces/wire/extended_query.py",
        "(prepared.client is None or isinstance(prepared.client, Declare))",
        "prepared.client is None",
        SCRIPTS,
    ),
)
