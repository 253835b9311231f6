//! Chooses collections by the words they share with a question.

use super::words::stems;
use crate::ports::CollectionView;
use serde_json::Value;
use std::collections::BTreeSet;
use vademecum_protocol::document::DEFAULT_COLLECTION;
use vademecum_text::terms::terms;

/// Returns the collections whose names, descriptions or fields share most words with the question, with the reason; all of them
/// if none does. The default collection is kept if it has no description, since its name says nothing about its content.
pub(in super::super) fn choose(question: &str, candidates: &[CollectionView]) -> (Vec<String>, String) {
    let asked = terms(question);
    let known: Vec<BTreeSet<String>> = candidates.iter().map(vocabulary).collect();
    // A word in all collections distinguishes none of them.
    let tells = |stem: &String| !known.iter().all(|words| words.contains(stem));
    let shared = |words: &BTreeSet<String>| -> BTreeSet<&str> {
        let held = asked.iter().filter(|term| words.contains(&term.text) && tells(&term.text));
        held.map(|term| term.text.as_str()).collect()
    };
    let counts: Vec<usize> = known.iter().map(|words| shared(words).len()).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    if most == 0 {
        let all = candidates.iter().map(|one| one.name.clone()).collect();
        return (
            all,
            "The question shares no word with one collection more than with another: all are searched."
                .into(),
        );
    }
    let mut reasons = Vec::new();
    let mut chosen = Vec::new();
    for ((candidate, words), count) in candidates.iter().zip(&known).zip(counts) {
        if is_untold(candidate) {
            reasons.push(format!("nothing is told of `{}`", candidate.name));
            chosen.push(candidate.name.clone());
            continue;
        }
        // Less than half as many shared words are probably a coincidence.
        if count * 2 < most || count == 0 {
            continue;
        }
        let stems = shared(words);
        let mut said: Vec<&str> = Vec::new();
        for term in asked.iter().filter(|term| stems.contains(term.text.as_str())) {
            said.extend(question.get(term.at.clone()).filter(|word| !said.contains(word)));
        }
        reasons.push(format!("`{}` shares {}", candidate.name, said.join(", ")));
        chosen.push(candidate.name.clone());
    }
    (chosen, format!("Words of the question: {}.", reasons.join("; ")))
}

fn is_untold(collection: &CollectionView) -> bool {
    collection.name == DEFAULT_COLLECTION
        && collection.description.trim().is_empty()
        && field_names(&collection.schema).next().is_none()
}

fn vocabulary(collection: &CollectionView) -> BTreeSet<String> {
    let fields: Vec<&str> = field_names(&collection.schema).collect();
    stems(&format!("{} {} {}", plain(&collection.name), collection.description, plain(&fields.join(" "))))
}

/// Returns the field names of a schema.
pub(in super::super) fn field_names(schema: &Value) -> impl Iterator<Item = &str> {
    schema.as_object().into_iter().flat_map(|fields| fields.keys().map(String::as_str))
}

fn plain(name: &str) -> String {
    name.replace(['-', '_', '.', '/'], " ")
}
