//! Recognises questions for documents that match conditions, whatever their wording: "Which contracts are over $1k?"

use super::overlap;
use super::rest::{DOCUMENTS, Read, head, plain, rest};
use super::words::{after, is_auxiliary, is_preposition, is_question_word, stems, words_of};
use super::{constraints, intent, values};
use crate::library::Library;
use crate::plan::{Intent, Kind, Proposed, fields};
use crate::ports::CollectionView;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Beginnings of questions for documents without an explicit word for a list.
const LEADS: [&str; 11] =
    ["which", "what", "who", "show", "give", "get", "display", "are there any", "i need", "i want", "print"];
/// Words for people, in names of collections.
const PEOPLE: &str = "people person persons employee staff worker member patient customer client student user contact \
    candidate applicant teacher doctor nurse player colleague team tenant subscriber author driver volunteer";

/// Returns the intent of a question: by its words, or a list if documents and conditions account for all of it.
pub(in super::super) fn intent(asked: &str, candidates: &[CollectionView], searcher: &Library<'_>) -> Intent {
    let said = intent::intent(asked);
    let low = asked.trim().to_lowercase();
    if said != Intent::Qa || !may_ask(asked) {
        return said;
    }
    let names = overlap::choose(asked, candidates).0;
    let chosen: Vec<CollectionView> =
        candidates.iter().filter(|one| names.contains(&one.name)).cloned().collect();
    let conditions = conditions(asked, None, &chosen, searcher);
    let left = having(&chosen, &conditions);
    // "Which nurses": those with that role.
    let second = low.split_whitespace().nth(1);
    let is_value =
        |one: &Proposed| one.operator == "in" && second.is_some() && one.raw_text.as_deref() == second;
    let is_named = names_documents(asked, &left) || conditions.iter().any(is_value);
    let is_subject = is_named || (low.starts_with("who") && are_people(&low, &left));
    let is_list =
        !conditions.is_empty() && is_subject && left_over(asked, &left, &conditions, None).is_empty();
    if is_list { Intent::List } else { said }
}

/// Returns the text after the words that request a count, if any.
pub(in super::super) fn counted(low: &str) -> Option<&str> {
    let leads = ["how many ", "count ", "number of "];
    leads.iter().find_map(|lead| low.get(low.find(lead)? + lead.len()..))
}

/// Returns whether a question may ask for documents or an aggregate, by its first words.
pub(in super::super) fn may_ask(asked: &str) -> bool {
    let low = asked.trim().to_lowercase();
    let leads = LEADS.iter().any(|lead| after(&low, lead).is_some());
    // "What is …?" asks for a definition.
    let defines = words_of(&low).get(..2).is_some_and(|two| match two {
        [first, second] => first.low == "what" && is_auxiliary(&second.low),
        _ => false,
    });
    match intent::intent(asked) {
        Intent::List | Intent::Compute => true,
        Intent::Qa => leads && !defines,
        Intent::Summarize | Intent::Compare => false,
    }
}

/// Returns the conditions of a question for documents or an aggregate.
pub(in super::super) fn read(
    asked: &str,
    intent: Intent,
    chosen: &[CollectionView],
    searcher: &Library<'_>,
) -> Vec<Proposed> {
    let views: Vec<&CollectionView> = chosen.iter().collect();
    let all = fields(&views);
    let numbers = all.iter().filter(|(_, kinds)| kinds.as_slice() == [Kind::Number]);
    let numbers: Vec<&str> = numbers.map(|(name, _)| *name).collect();
    let is_count = counted(&asked.to_lowercase()).is_some();
    let of = numbers.join(" ");
    let number_of = (intent == Intent::Compute).then_some((!is_count).then_some(of.as_str()));
    conditions(asked, number_of, chosen, searcher)
}

fn conditions(
    asked: &str,
    number_of: Option<Option<&str>>,
    chosen: &[CollectionView],
    searcher: &Library<'_>,
) -> Vec<Proposed> {
    let mut found = constraints::conditions(asked, chosen);
    for named in values::conditions(asked, chosen, searcher) {
        if found.iter().all(|one| one.field != named.field) {
            found.push(named);
        }
    }
    let left = having(chosen, &found);
    let unread = left_over(asked, &left, &found, number_of);
    if unread.is_empty() {
        return found;
    }
    let taken: Vec<&str> = found.iter().map(|one| one.field.as_str()).collect();
    let is_known = |word: &str| !unread.iter().any(|one| one == word);
    let common = values::common(asked, &left, searcher, &taken, &is_known);
    let whole: Vec<Proposed> = found.iter().chain(&common).cloned().collect();
    if !common.is_empty() && left_over(asked, &having(&left, &whole), &whole, number_of).is_empty() {
        return whole;
    }
    // "Over $1k or overdue": one condition must not hide what the other alternative allows.
    if unread.iter().any(|word| word == "or") { Vec::new() } else { found }
}

fn left_over(
    asked: &str,
    views: &[CollectionView],
    conditions: &[Proposed],
    number_of: Option<Option<&str>>,
) -> Vec<String> {
    let conditions: Vec<Value> = conditions.iter().map(as_value).collect();
    rest(asked, &Read { views: &named(asked, views), conditions: &conditions, by_model: false, number_of })
}

fn as_value(one: &Proposed) -> Value {
    let or = one.or.as_deref().map(as_value);
    json!({ "field": one.field, "operator": one.operator, "value": one.value, "rawText": one.raw_text, "or": or })
}

/// Returns the collections that have the fields of all conditions.
fn having(chosen: &[CollectionView], conditions: &[Proposed]) -> Vec<CollectionView> {
    let has = |view: &CollectionView| {
        let known = fields(&[view]);
        conditions.iter().all(|one| known.contains_key(one.field.as_str()))
    };
    chosen.iter().filter(|view| has(view)).cloned().collect()
}

/// Returns the collections that a question names; all of them if it names none.
pub(in super::super) fn named(asked: &str, views: &[CollectionView]) -> Vec<CollectionView> {
    let said = stems(asked);
    let named: Vec<CollectionView> =
        views.iter().filter(|view| head(view).is_some_and(|head| said.contains(&head))).cloned().collect();
    if named.is_empty() { views.to_vec() } else { named }
}

/// Returns whether a question names one of these collections.
pub(in super::super) fn names_one(asked: &str, views: &[CollectionView]) -> bool {
    let said = stems(asked);
    views.iter().any(|view| head(view).is_some_and(|head| said.contains(&head)))
}

/// Returns whether a question asks for documents: it names a collection, or documents in general, before any preposition that
/// would make it the place of something else ("the clauses in all contracts").
pub(in super::super) fn names_documents(asked: &str, views: &[CollectionView]) -> bool {
    let mut names: BTreeSet<String> = stems(DOCUMENTS);
    names.extend(views.iter().filter_map(head));
    for (at, word) in words_of(asked).iter().enumerate() {
        if !stems(word.text).is_disjoint(&names) {
            return true;
        }
        let opens = at < 2 && (is_question_word(&word.low) || is_auxiliary(&word.low));
        if !opens && word.low != "of" && (is_preposition(&word.low) || is_auxiliary(&word.low)) {
            return false;
        }
    }
    false
}

/// Returns whether "who" asks for documents of these collections: they are about people, or only people can do what is said.
fn are_people(low: &str, views: &[CollectionView]) -> bool {
    let people = stems(PEOPLE);
    let are = |view: &CollectionView| !stems(&plain(&view.name)).is_disjoint(&people);
    let earn = words_of(low).iter().any(|word| matches!(word.low.as_str(), "earn" | "earns" | "earned"));
    !views.is_empty() && (earn || views.iter().all(are))
}
