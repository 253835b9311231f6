//! Error messages of wrong filters.

use super::*;
use vademecum_protocol::error::Error;

fn parse(filter: &Value) -> Result<Filter, Error> {
    let documents = [
        json!({"total": 1, "party": "Acme", "paid": true, "on": "2023", "mixed": 1, "author": {"name": "Ada"}}),
        json!({"mixed": "x"}),
    ];
    Filter::parse(filter, &schema(json!({"on": "date"}), &documents))
}

fn error_of(filter: Value) -> String {
    let error = parse(&filter).expect_err(&filter.to_string());
    format!("{}: {error}", error.code())
}

#[test]
fn every_error_states_what_was_expected() {
    let operators = "There are: =, !=, >, >=, <, <=, in, not_in, like, contains, exists, between.";
    let fields = "There are: author.name, mixed, on, paid, party, total.";
    let filter = "unknown_field: There is no metadata field";
    let shape = "filter_invalid: The filter cannot be read:";
    let table = [
        (json!({"totla": 1}), format!("{filter} `totla` (did you mean `total`?). {fields}")),
        (json!({"colour": {">": 1}}), format!("{filter} `colour`. {fields}")),
        (json!({"colour": {"shade": 1}}), format!("{filter} `colour`. {fields}")),
        (json!({"author": {"nmae": 1}}), format!("{filter} `author.nmae` (did you mean `author.name`?). {fields}")),
        (json!({"operator": ">", "value": 1}), format!("{filter} `operator`. {fields}")),
        (
            json!({"total": {"betwen": [1, 2]}}),
            format!("unknown_operator: There is no filter operator `betwen` (did you mean `between`?). {operators}"),
        ),
        (
            json!([{"field": "total", "operator": "~~~~", "value": 1}]),
            format!("unknown_operator: There is no filter operator `~~~~`. {operators}"),
        ),
        (
            json!({"total": {">": "many"}}),
            "filter_type: The field `total` is a number, and the string \"many\" does not go with that. Write for example {\"total\":{\">\":1000}}.".into(),
        ),
        (
            json!({"total": {"like": "1%"}}),
            "filter_type: The field `total` is a number, and the operator `like` does not go with that. Write for example {\"total\":{\">\":1000}}.".into(),
        ),
        (
            json!({"party": 7}),
            "filter_type: The field `party` is a string, and the number 7 does not go with that. Write for example {\"party\":\"some text\"}.".into(),
        ),
        (
            json!({"paid": {">": true}}),
            "filter_type: The field `paid` is a boolean, and the operator `>` does not go with that. Write for example {\"paid\":true}.".into(),
        ),
        (
            json!({"on": {">": 2023}}),
            "filter_type: The field `on` is a date, and the number 2023 (a number is milliseconds; a year is a string) does not go with that. Write for example {\"on\":{\">=\":\"2023-05-01\"}}.".into(),
        ),
        (
            json!({"mixed": {"between": [1, "x"]}}),
            "filter_type: The field `mixed` is a string or a number, and the number 1 with the string \"x\" does not go with that. Write for example {\"mixed\":\"some text\"}.".into(),
        ),
        (
            json!({"total": {"in": [1, null]}}),
            "filter_type: The field `total` is a number, and null does not go with that. Write for example {\"total\":{\">\":1000}}.".into(),
        ),
        (
            json!(7),
            format!("{shape} each part must be an object such as {{\"year\": 2023}}, or a list of {{\"field\", \"operator\", \"value\"}}, but is the number 7."),
        ),
        (
            json!({"or": {"total": 1}}),
            format!("{shape} `or` must be a list of filters (a field of this name is reached by {{\"field\": \"or\", \"operator\": …, \"value\": …}}), but is an object."),
        ),
        (
            json!({"total": {}}),
            format!("{shape} `total` must be a value, or operators with values such as {{\">\": 1000}}, but is an empty object."),
        ),
        (
            json!({"field": "total", "operator": ">"}),
            format!("{shape} the value for `>` of `total` must be given, but is nothing."),
        ),
        (
            json!({"field": "total", "operator": 1, "value": 1}),
            format!("{shape} `operator` must be a string such as \">=\", but is the number 1."),
        ),
        (
            json!({"total": {"operator": ">", "vlaue": 1}}),
            format!("{shape} an object with `operator` or `value` must be without other names, as {{\"operator\": \">\", \"value\": 1000}} is, but is with `vlaue`."),
        ),
        (
            json!({"total": {"between": [1]}}),
            format!("{shape} the value for `between` of `total` must be a list of two, such as [2021, 2023], but is a list of 1."),
        ),
        (
            json!({"total": {"in": 1}}),
            format!("{shape} the value for `in` of `total` must be a list such as [2022, 2023], but is the number 1."),
        ),
        (
            json!({"total": {"exists": "yes"}}),
            format!("{shape} the value for `exists` of `total` must be true or false, but is the string \"yes\"."),
        ),
    ];
    for (filter, expected) in table {
        assert_eq!(error_of(filter), expected);
    }
}

#[test]
fn strings_that_only_resemble_numbers_are_rejected() {
    for text in ["NaN", "inf", "-Infinity", "1e999", "", "0x10", "1,000"] {
        assert!(error_of(json!({"total": text})).starts_with("filter_type"), "{text}");
    }
    assert!(error_of(json!({"total": {">": f64::NAN}})).starts_with("filter_type"));
    assert!(parse(&json!({"total": " 1e3 "})).is_ok());
}

#[test]
fn exceeded_limits_are_reported() {
    let nested = |levels: usize| (0..levels).fold(json!({"total": 1}), |inner, _| json!({"not": inner}));
    assert!(parse(&nested(63)).is_ok());
    let message =
        "filter_invalid: The filter cannot be read: it must be at most 64 levels deep, but is deeper.";
    assert_eq!(error_of(nested(1000)), message);
    let within = (0..1000).fold(json!({">": 1}), |inner, _| json!({"not": inner}));
    assert_eq!(error_of(json!({"total": within})), message);
    let many = |count| json!({"or": vec![json!({"total": 1}); count]});
    assert!(parse(&many(1024)).is_ok());
    assert!(error_of(many(1025)).ends_with("at most 1,024 conditions long, but is longer."));
    assert!(parse(&json!({"total": vec![1; 10_000]})).is_ok());
    let values = json!([{"total": vec![1; 6000]}, {"total": vec![2; 6000]}]);
    assert!(error_of(values).ends_with("at most 10,000 listed values long, but is longer."));
    assert!(error_of(json!({"party": {"like": "x".repeat(1025)}})).contains("at most 1,024 letters"));
    let searches = |count: usize| json!({"or": vec![json!({"party": {"contains": "x"}}); count]});
    assert!(error_of(searches(65)).contains("at most 64 conditions with `like` or `contains`"));
    assert!(parse(&searches(64)).is_ok());
    assert!(error_of(json!({"or": vec![json!([]); 5000]})).contains("at most 4,096 parts"));
}

#[test]
fn no_depth_overflows_the_stack() {
    let under = |name: &str, inner| Value::Object(Map::from_iter([(name.to_owned(), inner)]));
    let wraps: [&dyn Fn(Value) -> Value; 3] =
        [&|inner| Value::Array(vec![inner]), &|inner| under("not", inner), &|inner| under("total", inner)];
    for wrap in wraps {
        let mut filter = json!({"total": 1});
        for _ in 0..100_000 {
            filter = wrap(filter);
        }
        assert!(parse(&filter).is_err());
        // Take the value apart level by level: dropping it at once would recurse.
        while let Some(inner) = match &mut filter {
            Value::Array(parts) => parts.pop(),
            Value::Object(parts) => parts.values_mut().next().map(Value::take),
            _ => None,
        } {
            filter = inner;
        }
    }
}

#[test]
fn messages_have_bounded_length() {
    let huge = "x".repeat(1 << 20);
    for filter in
        [json!({&huge: 1}), json!({"total": &huge}), json!({"total": {&huge: 1}}), json!({"or": &huge})]
    {
        assert!(error_of(filter).len() < 400);
    }
}

#[test]
fn metadata_of_another_type_than_declared_is_rejected() {
    let schema = Schema::parse(&json!({"year": "number", "on": "date", "who.name": "string"})).unwrap();
    let check = |metadata: Value| schema.check("a.md", &object(metadata)).map_err(|error| error.to_string());
    for fine in [
        json!({}),
        json!({"year": null, "on": "2023-05", "other": {"x": [1, "a"]}}),
        json!({"year": [2022, 2023], "on": 0, "who": {"name": "Ada"}}),
    ] {
        assert_eq!(check(fine), Ok(()));
    }
    let message = |field, expected, got| {
        Err(format!(
            "Document `a.md`: the metadata field `{field}` is declared as {expected}, but holds {got}. Mend the value, or declare another type; nothing was added."
        ))
    };
    assert_eq!(check(json!({"year": "2023"})), message("year", "number", "the string \"2023\""));
    assert_eq!(check(json!({"year": [2023, true]})), message("year", "number", "the boolean true"));
    assert_eq!(check(json!({"year": {"a": 1}})), message("year", "number", "an object"));
    assert_eq!(check(json!({"on": "2023-02-30"})), message("on", "date", "the string \"2023-02-30\""));
    assert_eq!(check(json!({"who": {"name": 1}})), message("who.name", "string", "the number 1"));
}

#[test]
fn a_schema_with_an_unknown_type_names_the_nearest() {
    let error_of = |declared: Value| Schema::parse(&declared).map_err(|error| error.to_string()).unwrap_err();
    let types = "`string`, `number`, `date` or `boolean` (or a list of them, as `string[]`)";
    assert_eq!(
        error_of(json!({"year": "nubmer"})),
        format!("`schema.year` must be {types}, but was `nubmer` (did you mean `number`?).")
    );
    assert_eq!(
        error_of(json!({"year": ["number"]})),
        format!("`schema.year` must be {types}, but was a list of 1.")
    );
    assert!(error_of(json!("number")).starts_with("`schema` must be an object such as"));
}
