"""Defects of the server: logins that should fail, clients that should wait, sessions that should end."""

from __future__ import annotations

from mutants.mutant import one

SERVER = "dpsql/interfaces/server"
SCRAM = ("tests/server/test_scram.py",)
USERS = ("tests/server/test_users_file.py",)
TLS = ("tests/server/test_tls.py",)
WAITING = ("tests/server/test_waiting.py",)
RELAY = ("tests/server/test_relay.py",)
HOSTILE = ("tests/server/test_hostile_clients.py",)
SESSIONS = ("tests/server/test_sessions.py",)
SIGNALS = ("tests/server/test_signals.py",)
DEATHS = ("tests/server/test_deaths.py", "-k", "takes_its_worker")

MUTANTS = (
    one(
        "a worker that goes on without its listener",
        f"{SERVER}/working/worker.py",
        "        if not data:\n            return False\n",
        "        if not data:\n            threading.Event().wait(40)\n",
        DEATHS,
    ),
    one(
        "a proof of any password lets in",
        f"{SERVER}/logins/scram.py",
        "if len(proof) != _KEY or not hmac.compare_digest(_digest(key), self._verifier.stored_key):",
        "if len(proof) != _KEY:",
        SCRAM,
    ),
    one(
        "a login over another certificate's connection",
        f"{SERVER}/logins/scram.py",
        "if not hmac.compare_digest(given, expected) or not",
        "if not",
        SCRAM,
    ),
    one(
        "channel binding taken out on the way",
        f"{SERVER}/logins/scram.py",
        'flag == b"y" and self._binding is not None',
        'flag == b"y" and self._binding == b""',
        SCRAM,
    ),
    one(
        "a login that does not exist has another salt each time",
        f"{SERVER}/logins/users.py",
        "fake = fake_verifier(self.secret, login)",
        "fake = fake_verifier(secrets.token_bytes(32), login)",
        USERS,
    ),
    one(
        "a users file that others may read",
        f"{SERVER}/logins/users_file.py",
        "if found.st_mode & 0o077:",
        "if found.st_mode & 0o002:",
        USERS,
    ),
    one(
        "a token asked for in clear",
        f"{SERVER}/listening/login.py",
        "isinstance(user.proof, Token) and client.encrypted:",
        "isinstance(user.proof, Token):",
        HOSTILE,
    ),
    one(
        "a certificate that logs in every name",
        f"{SERVER}/listening/login.py",
        "client.certified == login:",
        "client.certified is not None:",
        TLS,
    ),
    one(
        "sessions in clear beside those inside TLS",
        f"{SERVER}/listening/client_connection.py",
        "if self._tls is None or not isinstance(packet, StartUp):",
        "if self._tls is None or packet:",
        TLS,
    ),
    one(
        "bytes in clear behind the request for TLS",
        f"{SERVER}/listening/client_connection.py",
        "if self._is_pending():",
        "if self._is_pending() is None:",
        TLS,
    ),
    one(
        "a server off this host without a certificate",
        f"{SERVER}/server_settings.py",
        "if self.tls is None and not all(map(_is_loopback, self.addresses())):",
        "if self.tls is None and not self.addresses():",
        TLS,
    ),
    one(
        "failed logins that do not wait",
        f"{SERVER}/listening/front_door.py",
        "self._delay(self.failures.delay(login, address), address, task)",
        "self._delay(0, address, task)",
        HOSTILE,
    ),
    one(
        "a start-up packet of any length",
        f"{SERVER}/listening/client_connection.py",
        "if not _SHORTEST <= length <= most:",
        "if not _SHORTEST <= length:",
        HOSTILE,
    ),
    one(
        "a cancel with any key",
        f"{SERVER}/listening/open_sessions.py",
        "return compare_digest(session.key if session is not None else bytes(4), key) and session is not None",
        "return session is not None",
        WAITING,
    ),
    one(
        "wrong keys of one session that hold up the cancels of another",
        f"{SERVER}/listening/front_door.py",
        "guessed, came = str(request.process_id), ",
        'guessed, came = "", ',
        HOSTILE,
    ),
    one(
        "a cancel that was held up and ends what was sent after it",
        f"{SERVER}/listening/front_door.py",
        "came if delay else None",
        "None",
        WAITING,
    ),
    one(
        "a cancel for what has ended that ends what runs now",
        "dpsql/interfaces/wire/channel.py",
        " or (at is not None and at < self._began)",
        "",
        ("tests/wire/test_cancel.py",),
    ),
    one(
        "room for another session while a call of the first still runs",
        f"{SERVER}/listening/open_sessions.py",
        "        if not session.parts:\n",
        '        if "client" not in session.parts:\n',
        WAITING,
    ),
    one(
        "sessions of removed logins that go on",
        f"{SERVER}/listening/open_sessions.py",
        "                session.task.cancel()\n",
        "                continue\n",
        WAITING,
    ),
    one(
        "one analyst's calls all before another's first",
        f"{SERVER}/working/fair_queue.py",
        "return self._running[analyst], self._turns.get(analyst, 0)",
        "return 0, 0",
        WAITING,
    ),
    one(
        "messages of any length",
        f"{SERVER}/listening/session_relay.py",
        "if not 0 <= body <= self._limits.message:",
        "if not 0 <= body:",
        RELAY,
    ),
    one(
        "an error in the middle of a message",
        f"{SERVER}/listening/session_relay.py",
        "between = not self._frame\n",
        "between = True\n",
        RELAY,
    ),
    one(
        "lengths that are looked for where a message was cut",
        f"{SERVER}/listening/session_relay.py",
        "            self._message = _HEAD + body - here\n",
        "            self._message = 0\n",
        RELAY,
    ),
    one(
        "a client that is sent more than it takes, without an end",
        f"{SERVER}/listening/session_relay.py",
        "        self._worker.pause()\n        if self._timer is None:\n",
        "        if False:\n",
        RELAY,
    ),
    one(
        "a worker that is sent more than it takes, without an end",
        f"{SERVER}/listening/session_relay.py",
        "        self._client.pause()\n",
        "        pass\n",
        RELAY,
    ),
    one(
        "a login that keeps whatever it is sent",
        f"{SERVER}/listening/client_stream.py",
        "if len(self._bytes) > _WAITING:",
        "if len(self._bytes) > _WAITING << 20:",
        RELAY,
    ),
    one(
        "engines beside the logins' sessions in one process",
        f"{SERVER}/working/served_databases.py",
        "load_policy(path, Isolation.PROCESS)",
        "load_policy(path, Isolation.INLINE)",
        SESSIONS,
    ),
    one(
        "sessions that go on under a policy that was replaced",
        f"{SERVER}/working/worker.py",
        "            session.channel.end_with(*_CHANGED)\n        for",
        "            pass\n        for",
        SIGNALS,
    ),
)
