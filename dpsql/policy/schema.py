"""The JSON Schema of a policy, exported for editors; `policies/policy.schema.json` is its committed copy."""

from __future__ import annotations

from dpsql.policy.shapes import PolicyShape

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, object]:
    """The schema of the keys that are built, with a sentence for each; rules across keys are not in it."""
    exported = PolicyShape.model_json_schema(mode="validation")
    tidy = {key: _tidy(part) for key, part in exported.items()}
    return {"$schema": DIALECT, **tidy, "title": "dpsql policy"}


def _tidy(part: object) -> object:
    """Without generated titles and without null, which stands only for a key left out."""
    if isinstance(part, list):
        return [_tidy(p) for p in part if p != {"type": "null"}]
    if not isinstance(part, dict):
        return part
    kept = {k: _tidy(v) for k, v in part.items() if not _is_noise(k, v)}
    match kept.pop("anyOf", None):
        case [{**only}]:
            return {**only, **kept}
        case list() as several:
            return {**kept, "anyOf": several}
    return kept


def _is_noise(key: str, value: object) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and value is None)
