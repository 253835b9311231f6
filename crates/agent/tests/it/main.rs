//! Integration tests of the crate, one file per subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod abstaining;
mod agent;
mod agent_answer;
mod agent_evidence;
mod agent_guards;
mod agent_history;
mod agent_llm;
mod agent_options;
mod agent_plan;
mod agent_rows;
mod agent_rows_read;
mod agent_rules;
mod agent_schemas;
mod agent_search;
mod agent_steps;
mod agent_telemetry;
mod amounts;
mod answer_sources;
mod definitions;
mod drafts;
mod egress_reference;
mod firewall;
mod firewall_styles;
mod follow_ups;
mod languages;
mod library_failures;
mod logs;
mod long_replies;
mod never_send;
mod quoted_fields;
mod quoted_parts;
mod quoted_prose;
mod readers;
mod reply;
mod styles_graph;
mod styles_investigate;
mod styles_nodes;
mod styles_react;
mod styles_searching;
mod styles_stream;
mod styles_trust;
mod tables;
mod tables_deeds;
mod tables_invoices;
mod tables_misread;
mod tables_sheets;
mod tool_taint;
mod unsupported;
