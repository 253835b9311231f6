//! Semantics of filters and facets.

mod errors;
mod oracle;

use super::*;
use crate::bitmap::Bitmap;
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

fn schema(declared: Value, documents: &[Value]) -> Schema {
    let mut schema = Schema::parse(&declared).expect("a schema");
    documents.iter().for_each(|document| schema.observe(&object(document.clone())));
    schema
}

fn columns(documents: &[Value], schema: &Schema) -> Columns {
    let mut columns = Columns::default();
    documents.iter().for_each(|document| columns.push(&object(document.clone()), schema));
    columns
}

/// Returns the numbers of the matching documents.
fn select(declared: Value, documents: &[Value], filter: Value) -> Vec<usize> {
    let schema = schema(declared, documents);
    let filter = Filter::parse(&filter, &schema).unwrap_or_else(|error| panic!("{filter}: {error}"));
    columns(documents, &schema).select(&filter).iter().collect()
}

fn invoices() -> Vec<Value> {
    vec![
        json!({"year": 2021, "total": 500, "party": "Acme Ltd", "tags": ["Art", "Old"], "paid": true}),
        json!({"year": 2022, "total": 1500, "party": "Bolt GmbH", "tags": ["Party"], "paid": false}),
        json!({"year": 2023, "total": 2500.5, "party": "acme inc", "author": {"name": "Ada"}, "and": 1}),
        json!({"year": 2023, "total": null, "tags": [], "operator": "Ops"}),
    ]
}

#[test]
fn every_spelling_of_the_grammar_is_understood() {
    let table = [
        (json!({}), vec![0, 1, 2, 3]),
        (json!([]), vec![0, 1, 2, 3]),
        (json!({"year": 2023}), vec![2, 3]),
        (json!({"year": "2023"}), vec![2, 3]),
        (json!({"year": [2021, 2022]}), vec![0, 1]),
        (json!({"total": null}), vec![3]),
        (json!({"total": {"!=": null}}), vec![0, 1, 2]),
        (json!({"total": {">": 1000}}), vec![1, 2]),
        (json!({"total": {">": 500, "<=": 1500}}), vec![1]),
        (json!({"total": {"operator": ">", "value": 1000}}), vec![1, 2]),
        (json!({"total": {"op": "gte", "value": 1500}}), vec![1, 2]),
        (json!({"field": "total", "operator": "<", "value": 1000}), vec![0]),
        (json!({"field": "year", "value": 2022}), vec![1]),
        (json!({"field": "year", "value": [2022, 2021]}), vec![0, 1]),
        (
            json!([{"field": "year", "operator": "=", "value": 2023}, {"field": "total", "op": "exists"}]),
            vec![2],
        ),
        (json!([{"year": 2023}, {"party": "acme inc"}]), vec![2]),
        (json!({"year": 2023, "party": "acme inc"}), vec![2]),
        (json!({"and": [{"year": 2023}, {"total": {"exists": false}}]}), vec![3]),
        (json!({"$AND": [{"year": {"$GTE": 2022}}, {"year": {"$lt": 2023}}]}), vec![1]),
        (json!({"or": [{"year": 2021}, {"party": "Bolt GmbH"}]}), vec![0, 1]),
        (json!({"or": []}), vec![]),
        (json!({"and": []}), vec![0, 1, 2, 3]),
        (json!({"not": {"year": 2023}}), vec![0, 1]),
        (json!({"Not": [{"year": 2023}, {"total": null}]}), vec![0, 1, 2]),
        (json!({"year": {"not": {">": 2021}}}), vec![0]),
        (json!({"year": {"not": 2023}}), vec![0, 1]),
        (json!({"total": {"or": [{"<": 1000}, {">": 2000}]}}), vec![0, 2]),
        (json!({"total": {"and": [{">": 1000}, {"<": 2000}]}}), vec![1]),
        (json!({"author.name": "Ada"}), vec![2]),
        (json!({"author": {"name": {"like": "a__"}}}), vec![2]),
        (json!({"field": "and", "operator": "=", "value": 1}), vec![2]),
        (json!([{"field": "operator", "operator": "=", "value": "Ops"}]), vec![3]),
        (json!({"operator": "Ops"}), vec![3]),
    ];
    for (filter, expected) in table {
        assert_eq!(select(json!({}), &invoices(), filter.clone()), expected, "{filter}");
    }
}

#[test]
fn operators_have_aliases() {
    let table = [
        (vec!["=", "==", "===", "eq", "EQ", "$eq", "is"], json!(2022), vec![1]),
        (vec!["!=", "!==", "<>", "ne", "neq", "is_not", "is not"], json!(2022), vec![0, 2, 3]),
        (vec![">", "gt", "$gt", " GT "], json!(2022), vec![2, 3]),
        (vec![">=", "gte", "ge"], json!(2022), vec![1, 2, 3]),
        (vec!["<", "lt"], json!(2022), vec![0]),
        (vec!["<=", "lte", "le"], json!(2022), vec![0, 1]),
        (vec!["in", "IN", "$in"], json!([2021, 2022]), vec![0, 1]),
        (vec!["not_in", "nin", "notIn", "not in", "NOT-IN", "$nin"], json!([2021, 2022]), vec![2, 3]),
        (vec!["between", "Between"], json!([2021, 2022]), vec![0, 1]),
        (vec!["between"], json!([2022, 2021]), vec![]),
        (vec!["contains"], json!(2022), vec![1]),
        (vec!["exists"], json!(true), vec![0, 1, 2, 3]),
    ];
    for (names, value, expected) in table {
        for name in names {
            let filter = json!({"year": {name: value}});
            assert_eq!(select(json!({}), &invoices(), filter.clone()), expected, "{filter}");
        }
    }
}

#[test]
fn nothing_is_in_an_empty_list() {
    assert!(select(json!({}), &invoices(), json!({"year": []})).is_empty());
    assert_eq!(select(json!({}), &invoices(), json!({"year": {"not_in": []}})), [0, 1, 2, 3]);
}

#[test]
fn like_and_contains_ignore_case_but_equality_does_not() {
    assert_eq!(select(json!({}), &invoices(), json!({"party": {"like": "ACME%"}})), [0, 2]);
    assert_eq!(select(json!({}), &invoices(), json!({"party": {"contains": "gmb"}})), [1]);
    assert!(select(json!({}), &invoices(), json!({"party": "acme ltd"})).is_empty());
}

#[test]
fn contains_matches_whole_elements_of_lists_and_parts_of_strings() {
    assert_eq!(select(json!({}), &invoices(), json!({"tags": {"contains": "art"}})), [0]);
    assert_eq!(select(json!({}), &invoices(), json!({"tags": {"like": "%art%"}})), [0, 1]);
}

#[test]
fn a_document_without_the_field_matches_negations_alone() {
    for filter in [
        json!({"tags": {"!=": "Art"}}),
        json!({"tags": {"not_in": ["Art"]}}),
        json!({"not": {"tags": "Art"}}),
    ] {
        assert_eq!(select(json!({}), &invoices(), filter), [1, 2, 3]);
    }
    assert_eq!(select(json!({}), &invoices(), json!({"tags": {"exists": false}})), [2, 3]);
}

#[test]
fn declared_dates_are_compared_at_their_precision() {
    let documents = [
        json!({"on": "2022-12-31T23:59:59.999Z"}),
        json!({"on": "2023-01-01"}),
        json!({"on": "2023-05-01T12:00+02:00"}),
        json!({"on": 1_704_067_200_000_i64}),
        json!({"on": "2023"}),
    ];
    let table = [
        (json!({"on": "2023"}), vec![1, 2, 4]),
        (json!({"on": {">": "2023"}}), vec![3]),
        (json!({"on": {">=": "2023"}}), vec![1, 2, 3, 4]),
        (json!({"on": {"<": "2023"}}), vec![0]),
        (json!({"on": {"<=": "2023-01"}}), vec![0, 1, 4]),
        (json!({"on": "2023-05-01T10:00"}), vec![2]),
        (json!({"on": {"between": ["2022", "2023"]}}), vec![0, 1, 2, 4]),
        (json!({"on": ["2023-05", "2024"]}), vec![2, 3]),
        (json!({"on": 1_704_067_200_000_i64}), vec![3]),
    ];
    for (filter, expected) in table {
        assert_eq!(select(json!({"on": "date"}), &documents, filter.clone()), expected, "{filter}");
    }
}

#[test]
fn a_date_that_is_not_declared_is_text() {
    let documents = [json!({"on": "2023-05-01"}), json!({"on": "2023"})];
    assert_eq!(select(json!({}), &documents, json!({"on": "2023"})), [1]);
    assert_eq!(select(json!({}), &documents, json!({"on": {"like": "2023%"}})), [0, 1]);
}

#[test]
fn a_field_of_mixed_types_is_compared_in_each_of_them() {
    let documents = [json!({"no": 7}), json!({"no": "7"}), json!({"no": "7a"}), json!({"no": true})];
    assert_eq!(select(json!({}), &documents, json!({"no": 7})), [0]);
    assert_eq!(select(json!({}), &documents, json!({"no": "7"})), [0, 1]);
    assert_eq!(select(json!({}), &documents, json!({"no": ["7a", true]})), [2, 3]);
}

#[test]
fn collections_with_different_schemas_are_searched_by_one_filter() {
    let (dated, texts) =
        (schema(json!({"on": "date"}), &[]), schema(json!({}), &[json!({"on": "2023-05-01"})]));
    let mut both = dated.clone();
    both.merge(&texts);
    let filter = Filter::parse(&json!({"on": {">=": "2023-05"}}), &both).unwrap();
    for (schema, document) in [(&dated, json!({"on": "2023-05-01"})), (&texts, json!({"on": "2023-05-01"}))] {
        assert_eq!(columns(&[document], schema).select(&filter).count(), 1);
    }
    assert!(Filter::parse(&json!({"on": {">=": "May"}}), &dated).is_err());
    assert!(Filter::parse(&json!({"on": {">=": "May"}}), &both).is_ok());
}

#[test]
fn a_schema_round_trips_through_json() {
    let schema = schema(
        json!({"year": "number[]", "on": "date"}),
        &[json!({"note": 1, "year": 2023}), json!({"note": "x"})],
    );
    let stored = serde_json::to_value(&schema).unwrap();
    assert_eq!(stored, json!({"note": ["string", "number"], "on": "date", "year": "number"}));
    assert_eq!(serde_json::from_value::<Schema>(stored).unwrap(), schema);
}

#[test]
fn facets_count_documents_by_value_and_merge_over_segments() {
    let documents = [
        json!({"tag": ["a", "b", "a"], "on": "2023-05-01"}),
        json!({"tag": "b", "on": "2023-05-01T10:00"}),
        json!({"tag": 2023}),
        json!({"tag": false}),
        json!({"tag": "c"}),
    ];
    let schema = schema(json!({"on": "date"}), &documents);
    let columns = columns(&documents, &schema);
    let within: Bitmap = (0..4).collect();
    let mut facets = columns.facets("tag", &within);
    let once = serde_json::to_value(facets.clone().top(9)).unwrap();
    assert_eq!(
        once,
        json!([{"value": "b", "count": 2}, {"value": false, "count": 1}, {"value": 2023.0, "count": 1}, {"value": "a", "count": 1}])
    );
    facets.merge(columns.facets("tag", &Bitmap::full(5)));
    let most: Vec<(FacetValue, usize)> =
        facets.top(2).into_iter().map(|one| (one.value, one.count)).collect();
    assert_eq!(most, [(FacetValue::String("b".into()), 4), (FacetValue::Boolean(false), 2)]);
    let dates = serde_json::to_value(columns.facets("on", &within).top(9)).unwrap();
    assert_eq!(
        dates,
        json!([{"value": "2023-05-01", "count": 1}, {"value": "2023-05-01T10:00:00.000Z", "count": 1}])
    );
    assert_eq!(columns.facets("nowhere", &within).top(9), []);
}

#[test]
fn a_string_of_megabytes_is_filtered_like_any_other() {
    let long = "Long ".repeat(400_000);
    let documents = [json!({"text": long}), json!({"text": "short"})];
    assert_eq!(select(json!({}), &documents, json!({"text": long})), [0]);
    assert_eq!(select(json!({}), &documents, json!({"text": {"contains": long.to_lowercase()}})), [0]);
    assert!(select(json!({}), &documents, json!({"text": {"like": "%ng%ng %x%"}})).is_empty());
}

#[test]
fn lists_of_objects_are_searched_by_the_fields_inside_them() {
    let documents =
        [json!({"author": [{"name": "Ada"}, {"name": "Bob"}]}), json!({"author": {"name": "Cy"}})];
    assert_eq!(select(json!({}), &documents, json!({"author.name": {"contains": "BOB"}})), [0]);
    assert_eq!(select(json!({}), &documents, json!({"author": {"name": {"!=": "Ada"}}})), [1]);
}

#[test]
fn deeply_nested_metadata_is_not_indexed() {
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!({"in": deep});
    }
    let document = json!({"deep": deep, "flat": 1});
    assert_eq!(select(json!({}), std::slice::from_ref(&document), json!({"flat": 1})), [0]);
    assert!(schema(json!({}), &[document]).types("deep.in").is_err());
}
