"""What each key of a policy does to privacy, to noise and to bias, with an example: the prose beside the schema.

Privacy is what the promise covers, noise how far answers are off by chance, and bias how far they are off whatever the
chance. A key without an entry is a mistake that a test finds.
"""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.policy import shapes
from dpsql.policy.shapes import Shape
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """A key with a value, as YAML, and what it does; an empty text where it does nothing."""

    example: str
    privacy: str = ""
    noise: str = ""
    bias: str = ""


_LIMIT = "Only what is spent is limited: answers of one epsilon are as noisy under any limit."
_DELTA = "The chance that the promise fails: far below one in the number of persons."
_WINDOW = "The promise is for each window: whoever asks in k windows may learn k times as much."
_PER_QUERY = (
    "The smaller, the more questions a budget has room for, and the noisier each answer, in proportion."
)
_READ_ALONE = "Every line is read by itself, so that no person's line decides how another's is read."

_OF_VALUES: Mapping[str, Effect] = {
    "lower": Effect(
        "lower: 0",
        "From what is known without the data: the data's own minimum gives somebody away.",
        "Of sums, in proportion to the larger of |lower| and |upper|; of averages, to the distance between them.",
        "Values below count as `lower`.",
    ),
    "upper": Effect(
        "upper: 500",
        "From what is known without the data: the data's own maximum gives somebody away.",
        "Of sums, in proportion to the larger of |lower| and |upper|; of averages, to the distance between them.",
        "Values above count as `upper`.",
    ),
    "values": Effect(
        "values: [DE, FR, IT]",
        "The groups of a GROUP BY are these, whatever is in the data: neither a delta nor a threshold is needed.",
        "Each group has it, also an empty one: thousands of values are thousands of noisy rows.",
        "Other values are read as NULL.",
    ),
    "references": Effect(
        "references: shops.id",
        "As `values`, with the keys of a public table.",
        "As `values`.",
        "Values that are no key there are read as NULL.",
    ),
    "step": Effect(
        "step: 0.01",
        "",
        "None of its own: noise is drawn on this grid.",
        "Values are rounded to it, each by at most half a step.",
    ),
    "unit_total": Effect(
        "unit_total: 2000",
        "",
        "Of sums, in proportion to it in place of rows times bound: much less where that is much smaller.",
        "What a person has beyond it does not count in sums.",
    ),
    "max_length": Effect(
        "max_length: 200",
        "It limits what one person's text can cost in time and memory.",
        "Of sums of a text's length, in proportion.",
        "The rest of a longer text is cut off; a longer key owns nothing.",
    ),
}


def _limits(epsilon: str, delta: str, window: str) -> dict[str, Effect]:
    """The keys that limit an account, with these values."""
    return {
        "epsilon": Effect(f"epsilon: {epsilon}", "Around 1 protects strongly, above 10 weakly.", _LIMIT),
        "delta": Effect(
            f"delta: {delta}",
            _DELTA,
            "Without one there is neither Gaussian noise nor a group of private keys.",
        ),
        "window": Effect(f"window: {window}", _WINDOW),
    }


EFFECTS: Mapping[type[Shape], Mapping[str, Effect]] = {
    shapes.PolicyShape: {
        "version": Effect("version: 1"),
        "privacy": Effect("privacy: {unit: customers.customer_id}"),
        "tables": Effect(
            "tables: {orders: {source: orders.parquet, unit_key: customer, columns: {customer: {type: integer}}}}",
            "A table or a column that is not listed does not exist for a query.",
        ),
        "budgets": Effect("budgets: {dataset: {epsilon: 10}, default: {epsilon: 1}}"),
        "accountant": Effect(
            "accountant: zcdp",
            "How the loss of many answers is added up; `pure` promises an epsilon without a delta.",
            "`zcdp` and `rdp` pay less for many small queries, and let Gaussian noise be chosen, which is smaller "
            "where many numbers are asked for at once.",
        ),
        "engine": Effect("engine: {isolation: process, memory: 4GB}"),
        "admin_log": Effect(
            "admin_log: failures.log",
            "It may hold values of private rows, in messages of engines. No analyst may read it.",
        ),
        "calibrated": Effect(
            "calibrated: {draw-5f1c0a9be2d34c77: {epsilon: 0.2, histograms: 3}}",
            "Who reads the policy has received these draws: every account pays for them before anything else.",
        ),
    },
    shapes.PrivacyShape: {
        "unit": Effect(
            "unit: customers.customer_id",
            "Who is protected, with all rows at once. A key of visits would protect visits and not persons.",
            "With `table.*`, where every row is a person, the least there is.",
        ),
        "neighbours": Effect(
            "neighbours: substitute",
            "add_remove hides whether a person is in the data, substitute what the rows of a person are. The number of "
            "persons is public under substitute.",
            "Up to twice as much under substitute.",
        ),
        "max_rows_per_unit": Effect(
            "max_rows_per_unit: 20",
            "Without a limit here, on the table or by `one_row_per_unit`, no sum or count of rows can be answered.",
            "In proportion to it.",
            "Rows of a person beyond it are left out, after filters and joins; which ones is fixed by their content.",
        ),
        "max_groups_per_unit": Effect(
            "max_groups_per_unit: 5",
            "",
            "In proportion to it, for counts of persons by groups and for whether a group of private keys is shown.",
            "A person is counted in so many groups and in no others. Sums and counts of rows do not heed it.",
        ),
        "mechanisms": Effect(
            "mechanisms: [discrete_laplace, cube]",
            "The same promise by fewer means.",
            "Often more: the planner takes the least noise among what is allowed. What has none left is refused.",
        ),
        "clipping": Effect(
            "clipping: auto",
            "The same.",
            "private and auto find smaller limits of rows and totals for a query, for a fifth of its epsilon: less "
            "noise where few persons have much.",
            "Persons above the limit that was found count with less than they have.",
        ),
    },
    shapes.TableShape: {
        "source": Effect(
            "source: orders.parquet",
            "Types are the policy's and nothing is sniffed, so that no person's row decides how another's is read. "
            "Which files a pattern meets is part of the data's version. An address holds no password.",
        ),
        "format": Effect("format: {delimiter: ';', null: NA}", _READ_ALONE),
        "public": Effect(
            "public: true",
            "Nobody is protected: every value may be read.",
            "None in answers from this table alone.",
        ),
        "unit_key": Effect(
            "unit_key: customer_id",
            "Whose a row is. It must be the key of the unit, not that of visits or orders.",
            "",
            "Rows without a key are left out.",
        ),
        "unit_path": Effect(
            "unit_path: {order_key: orders.order_key}",
            "Whose a row is, by way of another private table. The key there is unique, which is verified.",
            "",
            "Rows whose key leads to no row are left out.",
        ),
        "view": Effect(
            "view: row_wise",
            "A view that mixes rows could let one person's rows decide about another's: projections and filters pass, "
            "by functions of a row that cannot fail (TRY_CAST in the place of CAST). `rowid` is not of its row alone.",
        ),
        "one_row_per_unit": Effect(
            "one_row_per_unit: true",
            "A fact that is verified; a table that breaks it is not served.",
            "As with a limit of one row, the least there is.",
        ),
        "max_rows_per_unit": Effect(
            "max_rows_per_unit: 10",
            "As `privacy.max_rows_per_unit`, for this table.",
            "In proportion to it, or to the dataset's, where that is smaller.",
            "Rows of a person beyond it are left out before any filter: the same rows in every query.",
        ),
        "columns": Effect(
            "columns: {customer_id: {type: integer}, amount: {type: float, lower: 0, upper: 500}}",
            "What is not listed does not exist.",
        ),
    },
    shapes.FieldShape: {
        "type": Effect(
            "type: float",
            "A field is a column like others: bounds, lists and limits hold for it.",
            "",
            "NULL is what is not of the type: float and integer take JSON numbers (an integer is whole), text takes "
            "strings, boolean true and false, date and timestamp strings in ISO 8601. Text that is no JSON, or longer "
            "than 1 MiB, has no fields; of a name that an object has twice the first counts.",
        ),
        **_OF_VALUES,
    },
    shapes.ColumnShape: {
        "type": Effect(
            "type: integer", "", "", "Values of a CSV file that are not of the type are read as NULL."
        ),
        **_OF_VALUES,
        "nullable": Effect(
            "nullable: true",
            "A fact that is verified: a column that is not nullable has no NULL.",
            "A little more where COUNT(x) and COUNT(*) differ and are both asked for.",
            "In a CSV file, lines without a value are left out where the column is not nullable.",
        ),
        "hidden": Effect("hidden: true", "No query may name it; it may be a key."),
        "partition": Effect(
            "partition: true",
            "A fact that is verified: no person is in two parts. Of charges for different parts the largest counts.",
            "The same for one query; budgets have room for more of them.",
        ),
        "fields": Effect(
            "fields: {humidity: {type: float, lower: 0, upper: 100}, sensor.name: {type: text, values: [a, b]}}",
            "What is not declared of the text does not exist. A query reads `pl->>'humidity'`, "
            "`pl->'sensor'->>'name'` or `JSON_EXTRACT_STRING(pl, '$.sensor.name')`, each of the type that is declared.",
        ),
    },
    shapes.FormatShape: {
        "delimiter": Effect("delimiter: ';'", _READ_ALONE),
        "quote": Effect("quote: ''", _READ_ALONE),
        "escape": Effect("escape: '\\'", _READ_ALONE),
        "header": Effect("header: false", _READ_ALONE),
        "null": Effect("null: NA", _READ_ALONE),
        "date": Effect(
            "date: '%d.%m.%Y'", _READ_ALONE, "", "A date that is written otherwise is read as NULL."
        ),
        "timestamp": Effect(
            "timestamp: '%d.%m.%Y %H:%M:%S'",
            _READ_ALONE,
            "",
            "A moment that is written otherwise is read as NULL.",
        ),
    },
    shapes.BudgetsShape: {
        "dataset": Effect(
            "dataset: {epsilon: 10, delta: 1e-6}",
            "The promise to every person, should all analysts work together.",
            _LIMIT,
        ),
        "default": Effect(
            "default: {epsilon: 1, delta: 1e-7, per_query: 0.1}",
            "What one analyst may learn of a person.",
            _LIMIT,
        ),
        "unknown_analysts": Effect(
            "unknown_analysts: refuse",
            "Without it whoever has a new name has a new budget, up to the dataset's.",
        ),
        "analysts": Effect(
            "analysts: {alice: {}, bob: {epsilon: 3, delta: 1e-7}, carol: {revoked: true}}",
            "What each of them may learn of a person.",
            _LIMIT,
        ),
        "roles": Effect(
            "roles: {sales: {epsilon: 5, delta: 1e-7, members: [alice, bob]}}",
            "What the members may learn of a person together.",
            _LIMIT,
        ),
    },
    shapes.DatasetShape: {
        **_limits("10", "1e-6", "monthly"),
        "name": Effect(
            "name: sales",
            "The accounts of the same persons under two names are two budgets: one name for one set of them.",
        ),
    },
    shapes.GrantShape: {
        **_limits("1", "1e-7", "monthly"),
        "per_query": Effect("per_query: 0.1", "The most that one answer may tell.", _PER_QUERY),
    },
    shapes.AnalystShape: {
        **_limits("3", "1e-7", "daily"),
        "per_query": Effect(
            "per_query: {epsilon: 0.5, delta: 1e-8}", "The most that one answer may tell.", _PER_QUERY
        ),
        "revoked": Effect("revoked: true", "Nothing more is told. What was told cannot be taken back."),
    },
    shapes.RoleShape: {
        **_limits("5", "1e-7", "weekly"),
        "per_query": Effect("per_query: 0.1", "The most that one answer to a member may tell.", _PER_QUERY),
        "members": Effect("members: [alice, bob]", "They pay from this budget as well as from their own."),
    },
    shapes.CostShape: {
        "epsilon": Effect("epsilon: 0.5", "The most that one answer may tell.", _PER_QUERY),
        "delta": Effect(
            "delta: 1e-8", _DELTA, "The smaller, the more persons a group of private keys needs to be shown."
        ),
    },
    shapes.EngineShape: {
        "isolation": Effect(
            "isolation: process",
            "A child process with hard limits stands between a query and the rest of this one.",
        ),
        "memory": Effect(
            "memory: 4GB", "A query that needs more fails, charged; what it needs may depend on the rows."
        ),
        "threads": Effect("threads: 4"),
        "seconds": Effect(
            "seconds: 600", "A query that runs longer fails, charged; its time may depend on the rows."
        ),
        "temp_directory": Effect(
            "temp_directory: /var/tmp", "Private rows may be written there while a query runs."
        ),
        "deadline": Effect("deadline: 5", "The time of an answer then says nothing about the rows."),
        "prepared": Effect(
            "prepared: shop.prepared",
            "A second copy of the private rows stands there: guard it like the first.",
        ),
    },
    shapes.CalibratedShape: {
        "epsilon": Effect("epsilon: 0.2", "What every account has spent before its first query."),
        "histograms": Effect("histograms: 3", "They shared the epsilon equally."),
        "day": Effect("day: 2026-11-23"),
    },
}
