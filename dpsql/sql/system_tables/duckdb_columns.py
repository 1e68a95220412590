"""The columns of DuckDB's catalogs, written as in `pg_columns`."""

from __future__ import annotations

from typing import Final

from dpsql.algebra.system_tables import MAIN
from dpsql.sql.system_tables.pg_columns import DATABASE, DATABASE_NAME, MAIN_SCHEMA

DUCKDB_COLUMNS: Final = f"""
duckdb.duckdb_tables database_name={DATABASE_NAME} database_oid:oid={DATABASE} schema_name schema_oid:oid
  table_name table_oid:oid comment internal:bool=f temporary:bool=f has_primary_key:bool estimated_size:oid
  column_count:oid index_count:oid=0 check_constraint_count:oid=0 sql
duckdb.duckdb_columns database_name={DATABASE_NAME} database_oid:oid={DATABASE} schema_name schema_oid:oid
  table_name table_oid:oid column_name column_index:int4 comment internal:bool=f column_default
  is_nullable:bool data_type data_type_id:oid character_maximum_length:int4 numeric_precision:int4
  numeric_precision_radix:int4 numeric_scale:int4 is_generated:bool=f generation_expression
duckdb.duckdb_schemas oid:oid database_name={DATABASE_NAME} database_oid:oid={DATABASE} schema_name comment
  internal:bool sql
duckdb.duckdb_views database_name={DATABASE_NAME} database_oid:oid={DATABASE} schema_name schema_oid:oid view_name
  view_oid:oid comment internal:bool=f temporary:bool=f column_count:oid sql
duckdb.duckdb_databases database_name={DATABASE_NAME} database_oid:oid={DATABASE} path comment internal:bool=f
  type=duckdb readonly:bool=t encrypted:bool=f cipher
duckdb.duckdb_settings name value description= input_type=VARCHAR scope=GLOBAL
duckdb.duckdb_functions database_name={DATABASE_NAME} database_oid schema_name={MAIN} function_name alias_of
  function_type=scalar description comment return_type parameters:_text parameter_types:_text varargs
  macro_definition has_side_effects:bool=f internal:bool=t function_oid:oid stability=CONSISTENT
duckdb.duckdb_types database_name={DATABASE_NAME} database_oid:oid={DATABASE} schema_name={MAIN}
  schema_oid:oid={MAIN_SCHEMA} type_oid:oid type_name type_size:oid logical_type type_category comment
  internal:bool=t labels:_text
duckdb.duckdb_constraints database_name={DATABASE_NAME} database_oid:oid={DATABASE} schema_name schema_oid:oid
  table_name table_oid:oid constraint_index:oid constraint_type constraint_text expression
  constraint_column_indexes:_oid constraint_column_names:_text constraint_name referenced_table
  referenced_column_names:_text
duckdb.pragma_table_info cid:int4 name type notnull:bool dflt_value pk:bool of_table
duckdb.sqlite_master type name tbl_name rootpage:int4=0 sql
duckdb.duckdb_extensions extension_name loaded:bool installed:bool description extension_version
duckdb.duckdb_keywords keyword_name keyword_category
duckdb.duckdb_indexes database_name database_oid:oid schema_name schema_oid:oid index_name index_oid:oid
  table_name table_oid:oid comment is_unique:bool is_primary:bool expressions sql
duckdb.duckdb_sequences database_name database_oid:oid schema_name schema_oid:oid sequence_name
  sequence_oid:oid comment temporary:bool start_value:oid min_value:oid max_value:oid increment_by:oid
  cycle:bool last_value:oid sql
"""
