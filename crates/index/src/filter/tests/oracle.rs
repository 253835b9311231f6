//! Property test: random filters over random metadata, against a naive interpreter.

use super::*;
use proptest::prelude::*;
use std::cmp::Ordering;

/// A filter, independent of its spelling.
#[derive(Debug, Clone)]
enum Ask {
    All(Vec<Ask>),
    Any(Vec<Ask>),
    Not(Box<Ask>),
    Test { field: &'static str, operator: &'static str, values: Vec<Value>, spelling: u8 },
}

fn written(ask: &Ask) -> Value {
    match ask {
        Ask::All(parts) if parts.len() % 2 == 0 => parts.iter().map(written).collect(),
        Ask::All(parts) => json!({"and": parts.iter().map(written).collect::<Value>()}),
        Ask::Any(parts) => json!({"$or": parts.iter().map(written).collect::<Value>()}),
        Ask::Not(part) => json!({"NOT": written(part)}),
        Ask::Test { field, operator, values, spelling } => {
            let value = match *operator {
                "in" | "not_in" | "between" => json!(values),
                _ => values[0].clone(),
            };
            match (*operator, spelling % 4) {
                ("=" | "in", 0) => json!({*field: value}),
                (_, 1) => json!({"field": field, "operator": operator, "value": value}),
                (_, 2) => json!({*field: {"op": operator.to_uppercase(), "value": value}}),
                _ => json!({*field: {*operator: value}}),
            }
        }
    }
}

fn holds(ask: &Ask, document: &Value) -> bool {
    match ask {
        Ask::All(parts) => parts.iter().all(|part| holds(part, document)),
        Ask::Any(parts) => parts.iter().any(|part| holds(part, document)),
        Ask::Not(part) => !holds(part, document),
        Ask::Test { field, operator, values, .. } => {
            let (elements, list) = match field.split_once('.') {
                Some((outer, inner)) => elements(&document[outer][inner]),
                None => elements(&document[*field]),
            };
            let any = |wanted: &dyn Fn(Ordering) -> bool, value: &Value| {
                elements.iter().filter_map(|element| compared(field, element, value)).any(wanted)
            };
            let equal = || values.iter().any(|value| any(&Ordering::is_eq, value));
            match *operator {
                "=" | "in" => equal(),
                "!=" | "not_in" => !equal(),
                ">" => any(&Ordering::is_gt, &values[0]),
                ">=" => any(&Ordering::is_ge, &values[0]),
                "<" => any(&Ordering::is_lt, &values[0]),
                "<=" => any(&Ordering::is_le, &values[0]),
                "between" => elements.iter().any(|element| {
                    compared(field, element, &values[0]).is_some_and(Ordering::is_ge)
                        && compared(field, element, &values[1]).is_some_and(Ordering::is_le)
                }),
                "contains" => elements.iter().any(|element| match (element, &values[0]) {
                    (Value::String(text), Value::String(part)) if *field != "d" => {
                        let (text, part) = (text.to_lowercase(), part.to_lowercase());
                        if list { text == part } else { text.contains(&part) }
                    }
                    (element, value) => compared(field, element, value).is_some_and(Ordering::is_eq),
                }),
                "exists" => elements.is_empty() != (values[0] == json!(true)),
                other => panic!("{other}"),
            }
        }
    }
}

fn elements(value: &Value) -> (Vec<Value>, bool) {
    match value {
        Value::Null => (Vec::new(), false),
        Value::Array(elements) => (elements.clone(), true),
        one => (vec![one.clone()], false),
    }
}

/// Compares a document's value with a filter's; `None` if their types differ.
fn compared(field: &str, element: &Value, value: &Value) -> Option<Ordering> {
    match (element, value) {
        // Dates of different precision are compared at the lower one.
        (Value::String(day), Value::String(date)) if field == "d" => Some(day[..date.len()].cmp(date)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::Number(a), Value::String(b)) => a.as_f64()?.partial_cmp(&b.parse().ok()?),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn number() -> BoxedStrategy<Value> {
    prop_oneof![(-3i64..4).prop_map(|n| json!(n)), Just(json!(-0.0)), Just(json!(0.5))].boxed()
}

fn text() -> BoxedStrategy<Value> {
    prop::sample::select(vec!["", "a", "A", "ab", "b", "1", "2"]).prop_map(|text| json!(text)).boxed()
}

/// Generates values of a field in documents.
fn held(field: &str) -> BoxedStrategy<Value> {
    let one = match field {
        "n" => number(),
        "d" => ("202[0-2]", "0[1-3]", "0[1-3]").prop_map(|(y, m, d)| json!(format!("{y}-{m}-{d}"))).boxed(),
        "b" => any::<bool>().prop_map(|flag| json!(flag)).boxed(),
        "m" => prop_oneof![number(), text()].boxed(),
        _ => text(),
    };
    prop_oneof![
        Just(json!(null)),
        one.clone(),
        prop::collection::vec(one, 0..3).prop_map(|elements| json!(elements)),
    ]
    .boxed()
}

/// Generates values of a field in filters.
fn sought(field: &str) -> BoxedStrategy<Value> {
    match field {
        "n" => prop_oneof![number(), number().prop_map(|n| json!(n.to_string()))].boxed(),
        "d" => "202[0-2](-0[1-3](-0[1-3])?)?".prop_map(|date| json!(date)).boxed(),
        "b" => any::<bool>().prop_map(|flag| json!(flag)).boxed(),
        "m" => prop_oneof![number(), text()].boxed(),
        _ => text(),
    }
}

fn test() -> impl Strategy<Value = Ask> {
    prop::sample::select(vec!["n", "s", "d", "b", "m", "o.s"]).prop_flat_map(|field| {
        let mut operators = vec!["=", "!=", "in", "not_in", "contains", "exists"];
        if field != "b" {
            operators.extend([">", ">=", "<", "<="]);
        }
        if !["b", "m"].contains(&field) {
            operators.push("between");
        }
        (prop::sample::select(operators), any::<u8>()).prop_flat_map(move |(operator, spelling)| {
            let value = if operator == "exists" {
                any::<bool>().prop_map(|flag| json!(flag)).boxed()
            } else {
                sought(field)
            };
            let count = match operator {
                "in" | "not_in" => 0..4,
                "between" => 2..3,
                _ => 1..2,
            };
            prop::collection::vec(value, count).prop_map(move |values| Ask::Test {
                field,
                operator,
                values,
                spelling,
            })
        })
    })
}

fn ask() -> impl Strategy<Value = Ask> {
    test().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Ask::All),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Ask::Any),
            inner.prop_map(|part| Ask::Not(Box::new(part))),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    (held("n"), held("s"), held("d"), held("b"), held("m"), held("s"))
        .prop_map(|(n, s, d, b, m, o)| json!({"n": n, "s": s, "d": d, "b": b, "m": m, "o": {"s": o}}))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 4))]

    #[test]
    fn filters_agree_with_a_naive_interpreter(
        documents in prop::collection::vec(document(), 0..12), ask in ask(),
    ) {
        let declared = json!({"n": "number", "s": "string[]", "d": "date", "b": "boolean", "o.s": "string"});
        let mut seen = documents.clone();
        seen.push(json!({"m": [1, "a"]}));
        let schema = schema(declared, &seen);
        let filter = written(&ask);
        let parsed = Filter::parse(&filter, &schema);
        prop_assert!(parsed.is_ok(), "{filter}: {parsed:?}");
        let selected: Vec<usize> = columns(&documents, &schema).select(&parsed.unwrap()).iter().collect();
        let expected: Vec<usize> = (0..documents.len()).filter(|at| holds(&ask, &documents[*at])).collect();
        prop_assert_eq!(selected, expected, "{}", filter);
    }

    #[test]
    fn any_json_is_a_filter_or_a_described_error(
        text in r#"(\{"(n|field|and|not|x)": ?){0,4}(\[|1|"a"|null|\{\}){0,2}(\]|\}|,){0,4}"#,
    ) {
        let schema = schema(json!({"n": "number"}), &[]);
        if let Ok(value) = serde_json::from_str(&text)
            && let Err(error) = Filter::parse(&value, &schema)
        {
            let codes = ["filter_invalid", "filter_type", "unknown_field", "unknown_operator"];
            prop_assert!(codes.contains(&error.code()), "{}: {}", error.code(), error);
        }
    }
}
