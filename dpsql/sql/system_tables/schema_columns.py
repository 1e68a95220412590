"""The columns of information_schema, written as in `pg_columns`; three of its tables have DuckDB's columns as well.

`postgresql.tables`, `.columns` and `.schemata` are those tables as PostgreSQL has them, for clients that expect that.
Source: https://www.postgresql.org/docs/16/information-schema.html
"""

from __future__ import annotations

from typing import Final

from dpsql.algebra.system_tables import CATALOG
from dpsql.sql.system_tables.pg_columns import DATABASE_NAME

SCHEMA_COLUMNS: Final = f"""
postgresql.tables table_catalog:name={DATABASE_NAME} table_schema:name table_name:name table_type:varchar
  self_referencing_column_name:name reference_generation:varchar user_defined_type_catalog:name
  user_defined_type_schema:name user_defined_type_name:name is_insertable_into:varchar
  is_typed:varchar=NO
  commit_action:varchar
postgresql.columns table_catalog:name={DATABASE_NAME} table_schema:name table_name:name column_name:name
  ordinal_position:int4 column_default:varchar is_nullable:varchar data_type:varchar
  character_maximum_length:int4 character_octet_length:int4 numeric_precision:int4
  numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar
  interval_precision:int4 character_set_catalog:name character_set_schema:name character_set_name:name
  collation_catalog:name collation_schema:name collation_name:name domain_catalog:name domain_schema:name
  domain_name:name udt_catalog:name={DATABASE_NAME} udt_schema:name udt_name:name scope_catalog:name scope_schema:name
  scope_name:name maximum_cardinality:int4 dtd_identifier:name is_self_referencing:varchar=NO
  is_identity:varchar=NO identity_generation:varchar identity_start:varchar identity_increment:varchar
  identity_maximum:varchar identity_minimum:varchar identity_cycle:varchar=NO is_generated:varchar=NEVER
  generation_expression:varchar is_updatable:varchar
postgresql.schemata catalog_name:name={DATABASE_NAME} schema_name:name schema_owner:name={CATALOG}
  default_character_set_catalog:name default_character_set_schema:name default_character_set_name:name
  sql_path:varchar
information_schema.views table_catalog:name={DATABASE_NAME} table_schema:name table_name:name
  view_definition:varchar check_option:varchar=NONE is_updatable:varchar=NO is_insertable_into:varchar=NO
  is_trigger_updatable:varchar is_trigger_deletable:varchar is_trigger_insertable_into:varchar
information_schema.key_column_usage constraint_catalog:name={DATABASE_NAME} constraint_schema:name
  constraint_name:name table_catalog:name={DATABASE_NAME} table_schema:name table_name:name column_name:name
  ordinal_position:int4 position_in_unique_constraint:int4
information_schema.table_constraints constraint_catalog:name={DATABASE_NAME} constraint_schema:name
  constraint_name:name table_catalog:name={DATABASE_NAME} table_schema:name table_name:name
  constraint_type:varchar is_deferrable:varchar=NO initially_deferred:varchar=NO enforced:varchar=YES
  nulls_distinct:varchar
information_schema.referential_constraints constraint_catalog:name={DATABASE_NAME} constraint_schema:name
  constraint_name:name unique_constraint_catalog:name={DATABASE_NAME} unique_constraint_schema:name
  unique_constraint_name:name match_option:varchar=NONE update_rule:varchar delete_rule:varchar
information_schema.constraint_column_usage table_catalog:name={DATABASE_NAME} table_schema:name table_name:name
  column_name:name constraint_catalog:name={DATABASE_NAME} constraint_schema:name constraint_name:name
information_schema.constraint_table_usage table_catalog:name={DATABASE_NAME} table_schema:name table_name:name
  constraint_catalog:name={DATABASE_NAME} constraint_schema:name constraint_name:name
information_schema.table_privileges grantor:name={CATALOG} grantee:name table_catalog:name={DATABASE_NAME}
  table_schema:name table_name:name privilege_type:varchar=SELECT is_grantable:varchar=NO
  with_hierarchy:varchar=NO
information_schema.column_privileges grantor:name={CATALOG} grantee:name table_catalog:name={DATABASE_NAME}
  table_schema:name table_name:name column_name:name privilege_type:varchar=SELECT is_grantable:varchar=NO
information_schema.information_schema_catalog_name catalog_name:name={DATABASE_NAME}
information_schema.enabled_roles role_name:name
information_schema.applicable_roles grantee:name role_name:name is_grantable:varchar=NO
information_schema.character_sets character_set_catalog:name character_set_schema:name
  character_set_name:name=UTF8 character_repertoire:name=UCS form_of_use:name=UTF8
  default_collate_catalog:name default_collate_schema:name default_collate_name:name
information_schema.routines specific_catalog:name specific_schema:name specific_name:name
  routine_catalog:name routine_schema:name routine_name:name routine_type:varchar module_catalog:name
  module_schema:name module_name:name udt_catalog:name udt_schema:name udt_name:name data_type:varchar
  character_maximum_length:int4 character_octet_length:int4 character_set_catalog:name
  character_set_schema:name character_set_name:name collation_catalog:name collation_schema:name
  collation_name:name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4
  datetime_precision:int4 interval_type:varchar interval_precision:int4 type_udt_catalog:name
  type_udt_schema:name type_udt_name:name scope_catalog:name scope_schema:name scope_name:name
  maximum_cardinality:int4 dtd_identifier:name routine_body:varchar routine_definition:varchar
  external_name:varchar external_language:varchar parameter_style:varchar is_deterministic:varchar
  sql_data_access:varchar is_null_call:varchar sql_path:varchar schema_level_routine:varchar
  max_dynamic_result_sets:int4 is_user_defined_cast:varchar is_implicitly_invocable:varchar
  security_type:varchar to_sql_specific_catalog:name to_sql_specific_schema:name to_sql_specific_name:name
  as_locator:varchar created:timestamptz last_altered:timestamptz new_savepoint_level:varchar
  is_udt_dependent:varchar result_cast_from_data_type:varchar result_cast_as_locator:varchar
  result_cast_char_max_length:int4 result_cast_char_octet_length:int4 result_cast_char_set_catalog:name
  result_cast_char_set_schema:name result_cast_char_set_name:name result_cast_collation_catalog:name
  result_cast_collation_schema:name result_cast_collation_name:name result_cast_numeric_precision:int4
  result_cast_numeric_precision_radix:int4 result_cast_numeric_scale:int4
  result_cast_datetime_precision:int4 result_cast_interval_type:varchar result_cast_interval_precision:int4
  result_cast_type_udt_catalog:name result_cast_type_udt_schema:name result_cast_type_udt_name:name
  result_cast_scope_catalog:name result_cast_scope_schema:name result_cast_scope_name:name
  result_cast_maximum_cardinality:int4 result_cast_dtd_identifier:name
information_schema.parameters specific_catalog:name specific_schema:name specific_name:name
  ordinal_position:int4 parameter_mode:varchar is_result:varchar as_locator:varchar parameter_name:name
  data_type:varchar character_maximum_length:int4 character_octet_length:int4 character_set_catalog:name
  character_set_schema:name character_set_name:name collation_catalog:name collation_schema:name
  collation_name:name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4
  datetime_precision:int4 interval_type:varchar interval_precision:int4 udt_catalog:name udt_schema:name
  udt_name:name scope_catalog:name scope_schema:name scope_name:name maximum_cardinality:int4
  dtd_identifier:name parameter_default:varchar
information_schema.sequences sequence_catalog:name sequence_schema:name sequence_name:name data_type:varchar
  numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 start_value:varchar
  minimum_value:varchar maximum_value:varchar increment:varchar cycle_option:varchar
information_schema.triggers trigger_catalog:name trigger_schema:name trigger_name:name
  event_manipulation:varchar event_object_catalog:name event_object_schema:name event_object_table:name
  action_order:int4 action_condition:varchar action_statement:varchar action_orientation:varchar
  action_timing:varchar action_reference_old_table:name action_reference_new_table:name
  action_reference_old_row:name action_reference_new_row:name created:timestamptz
information_schema.check_constraints constraint_catalog:name constraint_schema:name constraint_name:name
  check_clause:varchar
information_schema.domains domain_catalog:name domain_schema:name domain_name:name data_type:varchar
  character_maximum_length:int4 character_octet_length:int4 character_set_catalog:name
  character_set_schema:name character_set_name:name collation_catalog:name collation_schema:name
  collation_name:name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4
  datetime_precision:int4 interval_type:varchar interval_precision:int4 domain_default:varchar
  udt_catalog:name udt_schema:name udt_name:name scope_catalog:name scope_schema:name scope_name:name
  maximum_cardinality:int4 dtd_identifier:name
information_schema.element_types object_catalog:name object_schema:name object_name:name object_type:varchar
  collection_type_identifier:name data_type:varchar character_maximum_length:int4
  character_octet_length:int4 character_set_catalog:name character_set_schema:name character_set_name:name
  collation_catalog:name collation_schema:name collation_name:name numeric_precision:int4
  numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar
  interval_precision:int4 domain_default:varchar udt_catalog:name udt_schema:name udt_name:name
  scope_catalog:name scope_schema:name scope_name:name maximum_cardinality:int4 dtd_identifier:name
information_schema.user_defined_types user_defined_type_catalog:name user_defined_type_schema:name
  user_defined_type_name:name user_defined_type_category:varchar is_instantiable:varchar is_final:varchar
  ordering_form:varchar ordering_category:varchar ordering_routine_catalog:name ordering_routine_schema:name
  ordering_routine_name:name reference_type:varchar data_type:varchar character_maximum_length:int4
  character_octet_length:int4 character_set_catalog:name character_set_schema:name character_set_name:name
  collation_catalog:name collation_schema:name collation_name:name numeric_precision:int4
  numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar
  interval_precision:int4 source_dtd_identifier:name ref_dtd_identifier:name
information_schema.view_table_usage view_catalog:name view_schema:name view_name:name table_catalog:name
  table_schema:name table_name:name
information_schema.view_column_usage view_catalog:name view_schema:name view_name:name table_catalog:name
  table_schema:name table_name:name column_name:name
information_schema.foreign_tables foreign_table_catalog:name foreign_table_schema:name
  foreign_table_name:name foreign_server_catalog:name foreign_server_name:name
information_schema.routine_privileges grantor:name grantee:name specific_catalog:name specific_schema:name
  specific_name:name routine_catalog:name routine_schema:name routine_name:name privilege_type:varchar
  is_grantable:varchar
information_schema.usage_privileges grantor:name grantee:name object_catalog:name object_schema:name
  object_name:name object_type:varchar privilege_type:varchar is_grantable:varchar
information_schema.sql_features feature_id:varchar feature_name:varchar sub_feature_id:varchar
  sub_feature_name:varchar is_supported:varchar is_verified_by:varchar comments:varchar
information_schema.sql_implementation_info implementation_info_id:varchar implementation_info_name:varchar
  integer_value:int4 character_value:varchar comments:varchar
information_schema.sql_parts feature_id:varchar feature_name:varchar is_supported:varchar
  is_verified_by:varchar comments:varchar
information_schema.sql_sizing sizing_id:int4 sizing_name:varchar supported_value:int4 comments:varchar
information_schema._pg_foreign_data_wrappers oid:oid fdwowner:oid fdwoptions:_text
  foreign_data_wrapper_catalog:name foreign_data_wrapper_name:name authorization_identifier:name
  foreign_data_wrapper_language:varchar
information_schema._pg_foreign_servers oid:oid srvoptions:_text foreign_server_catalog:name
  foreign_server_name:name foreign_data_wrapper_catalog:name foreign_data_wrapper_name:name
  foreign_server_type:varchar foreign_server_version:varchar authorization_identifier:name
information_schema._pg_foreign_table_columns nspname:name relname:name attname:name attfdwoptions:_text
information_schema._pg_foreign_tables foreign_table_catalog:name foreign_table_schema:name
  foreign_table_name:name ftoptions:_text foreign_server_catalog:name foreign_server_name:name
  authorization_identifier:name
information_schema._pg_user_mappings oid:oid umoptions:_text umuser:oid authorization_identifier:name
  foreign_server_catalog:name foreign_server_name:name srvowner:name
information_schema.administrable_role_authorizations grantee:name role_name:name is_grantable:varchar
information_schema.attributes udt_catalog:name udt_schema:name udt_name:name attribute_name:name
  ordinal_position:int4 attribute_default:varchar is_nullable:varchar data_type:varchar
  character_maximum_length:int4 character_octet_length:int4 character_set_catalog:name
  character_set_schema:name character_set_name:name collation_catalog:name collation_schema:name
  collation_name:name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4
  datetime_precision:int4 interval_type:varchar interval_precision:int4 attribute_udt_catalog:name
  attribute_udt_schema:name attribute_udt_name:name scope_catalog:name scope_schema:name scope_name:name
  maximum_cardinality:int4 dtd_identifier:name is_derived_reference_attribute:varchar
information_schema.check_constraint_routine_usage constraint_catalog:name constraint_schema:name
  constraint_name:name specific_catalog:name specific_schema:name specific_name:name
information_schema.collation_character_set_applicability collation_catalog:name collation_schema:name
  collation_name:name character_set_catalog:name character_set_schema:name character_set_name:name
information_schema.collations collation_catalog:name collation_schema:name collation_name:name
  pad_attribute:varchar
information_schema.column_column_usage table_catalog:name table_schema:name table_name:name column_name:name
  dependent_column:name
information_schema.column_domain_usage domain_catalog:name domain_schema:name domain_name:name
  table_catalog:name table_schema:name table_name:name column_name:name
information_schema.column_options table_catalog:name table_schema:name table_name:name column_name:name
  option_name:name option_value:varchar
information_schema.column_udt_usage udt_catalog:name udt_schema:name udt_name:name table_catalog:name
  table_schema:name table_name:name column_name:name
information_schema.data_type_privileges object_catalog:name object_schema:name object_name:name
  object_type:varchar dtd_identifier:name
information_schema.domain_constraints constraint_catalog:name constraint_schema:name constraint_name:name
  domain_catalog:name domain_schema:name domain_name:name is_deferrable:varchar initially_deferred:varchar
information_schema.domain_udt_usage udt_catalog:name udt_schema:name udt_name:name domain_catalog:name
  domain_schema:name domain_name:name
information_schema.foreign_data_wrapper_options foreign_data_wrapper_catalog:name
  foreign_data_wrapper_name:name option_name:name option_value:varchar
information_schema.foreign_data_wrappers foreign_data_wrapper_catalog:name foreign_data_wrapper_name:name
  authorization_identifier:name library_name:varchar foreign_data_wrapper_language:varchar
information_schema.foreign_server_options foreign_server_catalog:name foreign_server_name:name
  option_name:name option_value:varchar
information_schema.foreign_servers foreign_server_catalog:name foreign_server_name:name
  foreign_data_wrapper_catalog:name foreign_data_wrapper_name:name foreign_server_type:varchar
  foreign_server_version:varchar authorization_identifier:name
information_schema.foreign_table_options foreign_table_catalog:name foreign_table_schema:name
  foreign_table_name:name option_name:name option_value:varchar
information_schema.role_column_grants grantor:name grantee:name table_catalog:name table_schema:name
  table_name:name column_name:name privilege_type:varchar is_grantable:varchar
information_schema.role_routine_grants grantor:name grantee:name specific_catalog:name specific_schema:name
  specific_name:name routine_catalog:name routine_schema:name routine_name:name privilege_type:varchar
  is_grantable:varchar
information_schema.role_udt_grants grantor:name grantee:name udt_catalog:name udt_schema:name udt_name:name
  privilege_type:varchar is_grantable:varchar
information_schema.role_usage_grants grantor:name grantee:name object_catalog:name object_schema:name
  object_name:name object_type:varchar privilege_type:varchar is_grantable:varchar
information_schema.routine_column_usage specific_catalog:name specific_schema:name specific_name:name
  routine_catalog:name routine_schema:name routine_name:name table_catalog:name table_schema:name
  table_name:name column_name:name
information_schema.routine_routine_usage specific_catalog:name specific_schema:name specific_name:name
  routine_catalog:name routine_schema:name routine_name:name
information_schema.routine_sequence_usage specific_catalog:name specific_schema:name specific_name:name
  routine_catalog:name routine_schema:name routine_name:name sequence_catalog:name sequence_schema:name
  sequence_name:name
information_schema.routine_table_usage specific_catalog:name specific_schema:name specific_name:name
  routine_catalog:name routine_schema:name routine_name:name table_catalog:name table_schema:name
  table_name:name
information_schema.transforms udt_catalog:name udt_schema:name udt_name:name specific_catalog:name
  specific_schema:name specific_name:name group_name:name transform_type:varchar
information_schema.triggered_update_columns trigger_catalog:name trigger_schema:name trigger_name:name
  event_object_catalog:name event_object_schema:name event_object_table:name event_object_column:name
information_schema.udt_privileges grantor:name grantee:name udt_catalog:name udt_schema:name udt_name:name
  privilege_type:varchar is_grantable:varchar
information_schema.user_mapping_options authorization_identifier:name foreign_server_catalog:name
  foreign_server_name:name option_name:name option_value:varchar
information_schema.user_mappings authorization_identifier:name foreign_server_catalog:name
  foreign_server_name:name
information_schema.view_routine_usage table_catalog:name table_schema:name table_name:name
  specific_catalog:name specific_schema:name specific_name:name
"""
