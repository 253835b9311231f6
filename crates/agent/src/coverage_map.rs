//! Judges which parts of the question and which conditions the evidence covers.

use super::context::Context;
use super::coverage::{Coverage, Part, Status, condition_text, conditions};
use serde_json::Value;
use vademecum_grounding::sufficiency::judge;
use vademecum_protocol::document::Hit;

/// Returns the coverage of each sub-question, or of the whole question, and then of each condition.
pub(super) fn coverage(context: &Context) -> Vec<Coverage> {
    if context.skip_retrieval || context.results.is_none() {
        return Vec::new();
    }
    let evidence = context.evidence();
    let whole = [context.asked().to_owned()];
    let parts = if context.sub_questions.is_empty() { &whole[..] } else { &context.sub_questions };
    let mut map: Vec<Coverage> = parts.iter().map(|part| of_question(context, part, &evidence)).collect();
    map.extend(conditions(context.filters.as_ref()).iter().map(|one| of_condition(one, &evidence)));
    map
}

/// Maximum number of passages that are judged.
const MAX_PASSAGES: usize = 10;

fn of_question(context: &Context, part: &str, evidence: &[Hit]) -> Coverage {
    // The results of its own search, or else all evidence.
    let own = context.results.iter().flatten().filter(|result| result.question == part);
    let own: Vec<Hit> = own.flat_map(|result| result.chunks.iter().cloned()).collect();
    let passages = if own.is_empty() { evidence } else { &own };
    let passages = passages.get(..MAX_PASSAGES).unwrap_or(passages);
    let judged = judge(part, passages);
    let status = match judged {
        _ if passages.is_empty() || judged.coverage == 0.0 => Status::Gap,
        _ if judged.sufficient => Status::Covered,
        _ => Status::Partial,
    };
    let chunks = passages.iter().map(|hit| hit.chunk.id.clone());
    let chunks = if status == Status::Gap { Vec::new() } else { chunks.collect() };
    Coverage {
        kind: Part::SubQuestion,
        text: part.to_owned(),
        status,
        share: judged.coverage,
        chunks,
        missing: judged.missing,
    }
}

/// Judges a condition. Hits of filtered searches meet it; the results of a caller's tool may lack the field.
fn of_condition(condition: &Value, evidence: &[Hit]) -> Coverage {
    let field = condition.get("field").and_then(Value::as_str);
    let field =
        field.or_else(|| condition.as_object()?.keys().next().map(String::as_str)).unwrap_or_default();
    let root = field.split('.').next().unwrap_or(field);
    // A negated condition also holds without the field, and a condition on several fields is not examined.
    let said = condition.to_string();
    let anywhere = ["!=", "not", "exists", "\"and\"", "\"or\""].iter().any(|one| said.contains(one));
    let fulfils = |hit: &&Hit| anywhere || hit.chunk.metadata.contains_key(root);
    let fitting: Vec<&Hit> = evidence.iter().filter(fulfils).collect();
    Coverage {
        kind: Part::Constraint,
        text: condition_text(condition),
        status: match fitting.len() {
            0 => Status::Gap,
            all if all == evidence.len() => Status::Covered,
            _ => Status::Partial,
        },
        share: if evidence.is_empty() { 0.0 } else { fitting.len() as f32 / evidence.len() as f32 },
        chunks: fitting.iter().take(MAX_PASSAGES).map(|hit| hit.chunk.id.clone()).collect(),
        missing: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Request;
    use crate::context::SearchResult;
    use serde_json::json;
    use vademecum_protocol::document::whole_document as hit;

    #[test]
    fn a_part_without_passages_is_a_gap_with_its_missing_terms() {
        let result = |question: &str, chunks: Vec<Hit>| SearchResult {
            question: question.into(),
            collection: "default".into(),
            chunks,
            iterations: 1,
        };
        let of_acme = |mut hit: Hit| {
            hit.chunk.metadata = json!({ "year": 2024, "party": "ACME" }).as_object().unwrap().clone();
            hit
        };
        let known = "What is the notice of ACME?";
        let context = Context {
            request: Request {
                question: "What is the notice of ACME, and what does Globex pay?".into(),
                ..Request::default()
            },
            sub_questions: vec![known.into(), "What does Globex pay?".into()],
            results: Some(vec![
                result(known, vec![of_acme(hit("a", "The notice of ACME is 30 days."))]),
                result("What does Globex pay?", vec![]),
            ]),
            filters: Some(json!([{ "field": "year", "operator": "=", "value": 2024 }, { "party": "ACME" }])),
            ..Context::default()
        };
        let map = coverage(&context);
        let statuses: Vec<Status> = map.iter().map(|one| one.status).collect();
        assert_eq!(statuses, [Status::Covered, Status::Gap, Status::Covered, Status::Covered]);
        assert_eq!(map[0].chunks, ["a"]);
        assert!(map[1].missing.contains(&"Globex".to_owned()), "{map:?}");
        assert_eq!((map[2].kind, map[2].text.as_str()), (Part::Constraint, "year = 2024"));
    }

    #[test]
    fn a_filter_is_split_into_its_conjunctive_conditions() {
        let of = |filter: Value| conditions(Some(&filter)).len();
        assert_eq!(of(json!({ "year": 2024, "party": "ACME" })), 2);
        assert_eq!(of(json!([{ "year": 2024 }, { "field": "a", "operator": "=", "value": 1 }])), 2);
        assert_eq!(of(json!({ "or": [{ "a": 1 }, { "b": 1 }] })), 1);
        assert_eq!(conditions(None).len(), 0);
    }
}
