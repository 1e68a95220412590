"""The shape of `format:`, which says how a CSV file is read, and what the shapes of all parts have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from dpsql.policy import readings

_TEXT = {"type": "string"}

Truth = Annotated[bool, PlainValidator(readings.truth), WithJsonSchema({"type": "boolean"})]
Written = Annotated[str | None, PlainValidator(readings.written), WithJsonSchema(_TEXT)]
Moment = Annotated[str | None, PlainValidator(readings.text), WithJsonSchema(_TEXT)]


class Shape(BaseModel):
    """Unknown keys are mistakes; the descriptions are the editor's help. Built when first used."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class FormatShape(Shape):
    """How the lines of a CSV file are read; nothing is guessed from what they hold."""

    delimiter: Written = Field(
        None,
        description="The character between fields; a comma, or a tab for .tsv, if left out.",
    )
    quote: Written = Field(
        None,
        description="The character around fields that hold the delimiter; empty where no field is quoted.",
    )
    escape: Written = Field(
        None,
        description="The character before a quote inside of quotes; the quote itself if left out.",
    )
    header: Truth = Field(
        True,
        description="Whether the first line names the columns; else they are the policy's, in its order.",
    )
    null: Written = Field(None, description="The unquoted text that means NULL; the empty text if left out.")
    date: Moment = Field(None, description="How dates are written, as %d.%m.%Y; ISO 8601 if left out.")
    timestamp: Moment = Field(
        None,
        description="How timestamps are written, as %d.%m.%Y %H:%M:%S; ISO 8601 if left out.",
    )
