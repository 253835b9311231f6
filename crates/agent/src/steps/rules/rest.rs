//! Returns the words of a question that no condition and no known phrase accounts for. Rows that ignore such a word may be the
//! wrong ones.

use super::constraints::meant;
use super::tokens::{is_denial, low_tokens};
use super::words::{Word, stems, words_of};
use crate::plan::number;
use crate::ports::CollectionView;
use serde_json::Value;
use std::collections::BTreeSet;
use vademecum_protocol::document::shown;

/// Words for documents of any collection.
pub(in super::super) const DOCUMENTS: &str =
    "document documents file files record records entry entries item items";
/// Words that request documents without narrowing them.
const ASKING: &str = "list show find give get display enumerate return search look retrieve fetch see want need \
    please me i us we you our my can could would will let print provide \
    which what who whom that where there here is are was were be been being do does did has have had having \
    exist exists a an the this these those they them it in of with from for by to at on as and all every each any \
    everything everyone altogether complete full entire together whose kind title titles either";
/// Words for the form of an answer.
const FORMS: &str = "table csv list rows row bullet bullets";
/// Words that request a count.
const COUNTING: &str = "how many count number total compute calculate tell";
/// Words that request an aggregate.
const AGGREGATES: &str =
    "sum total totals average mean add maximum minimum altogether compute calculate up tell how much";
/// Words of comparisons, which a model turns into an operator.
const COMPARING: &str = "over above more greater larger higher bigger than exceed exceeds exceeding at least less fewer \
    smaller lower under below most up to between after since before until till during year no later earlier";
/// Words whose effect on the set of documents cannot be found in passages.
const LIMITING: &str = "or but only other else most least largest biggest highest greatest smallest lowest cheapest \
    newest latest oldest earliest longest shortest best worst top first last more less fewer than over under above \
    below between before after since until till per half some few several recent recently";

/// The interpretation of a question.
#[derive(Debug)]
pub(in super::super) struct Read<'a> {
    /// The collections whose documents are the rows.
    pub(in super::super) views: &'a [CollectionView],
    /// The conditions, in the form of a plan.
    pub(in super::super) conditions: &'a [Value],
    /// Whether a model extracted them, without the words they come from.
    pub(in super::super) by_model: bool,
    /// What an aggregate is computed over: `Some(None)` for documents, or a field.
    pub(in super::super) number_of: Option<Option<&'a str>>,
}

/// Returns the uninterpreted words of a question, as written; empty if all are accounted for.
pub(in super::super) fn rest(question: &str, read: &Read<'_>) -> Vec<String> {
    let low = low_tokens(question);
    let parts: Vec<&Value> = read.conditions.iter().flat_map(parts).collect();
    let mut taken = vec![false; low.len()];
    for one in &parts {
        take(&low, &low_tokens(&text_of(one, "rawText")), &mut taken);
    }
    let (known, words, numbers) =
        (stems_known(question, read, &parts), words_known(read, &parts), numbers(&parts));
    let is_word = |word: &str| {
        words.contains(word)
            || number(word).is_some_and(|number| numbers.contains(&number))
            || meant(word).is_some_and(|fields| {
                let about = stems(&fields.join(" "));
                parts.iter().any(|one| !about.is_disjoint(&stems(&plain(&text_of(one, "field")))))
            })
            || (is_denial(word) && read.by_model && parts.iter().any(|one| denies(one)))
            || {
                let said = stems(&plain(word));
                !said.is_empty() && said.is_subset(&known)
            }
    };
    let is_read = |token: &str| {
        let inner = words_of(token);
        let is_sign = inner.is_empty() && !token.contains(['<', '>', '=', '!', '≥', '≤', '≠']);
        // "contract's", "total_amount", "status:open".
        is_word(token) || is_sign || (!inner.is_empty() && inner.iter().all(|word| is_word(&word.low)))
    };
    let first_names = |at: usize, token: &str| at == 0 && matches!(token, "name" | "count");
    // "Acme or Globex": an "or" for each value after the first.
    let mut alternatives: usize = parts.iter().map(|one| values(one).len().saturating_sub(1)).sum();
    for (token, taken) in low.iter().zip(&mut taken) {
        if token == "or" && !*taken && alternatives > 0 {
            (*taken, alternatives) = (true, alternatives - 1);
        }
    }
    let left = low.iter().zip(&taken).enumerate();
    let left = left.filter(|(at, (token, taken))| !**taken && !is_read(token) && !first_names(*at, token));
    left.map(|(_, (token, _))| token.clone()).collect()
}

/// Returns whether passages cannot tell which documents are meant: the words negate, count, compare or rank.
pub(in super::super) fn limits(rest: &[String]) -> bool {
    let limiting: BTreeSet<&str> = LIMITING.split_whitespace().collect();
    rest.iter().any(|word| {
        is_denial(word)
            || limiting.contains(word.as_str())
            || word.contains(|letter: char| letter.is_ascii_digit())
    })
}

/// Returns a condition with its alternatives.
fn parts(condition: &Value) -> Vec<&Value> {
    match condition.get("or") {
        Some(Value::Array(either)) => either.iter().flat_map(parts).collect(),
        Some(other) => [vec![condition], parts(other)].concat(),
        None => vec![condition],
    }
}

/// Marks the positions of a condition's words.
fn take(low: &[String], said: &[String], taken: &mut [bool]) {
    if said.is_empty() {
        return;
    }
    for at in 0..low.len() {
        let range = at..at + said.len();
        if low.get(range.clone()) == Some(said) {
            taken.get_mut(range).into_iter().flatten().for_each(|one| *one = true);
        }
    }
}

fn stems_known(question: &str, read: &Read<'_>, parts: &[&Value]) -> BTreeSet<String> {
    let (mut known, said) = (stems(DOCUMENTS), stems(question));
    // Customers are not the invoices of "customer-invoices".
    for view in read.views.iter().filter(|view| head(view).is_some_and(|head| said.contains(&head))) {
        known.extend(stems(&plain(&view.name)));
    }
    for one in parts {
        known.extend(stems(&plain(&text_of(one, "field"))));
        known
            .extend(values(one).iter().filter(|value| !value.is_number()).flat_map(|one| stems(&shown(one))));
    }
    known.extend(read.number_of.flatten().into_iter().flat_map(|field| stems(&plain(field))));
    known
}

fn words_known(read: &Read<'_>, parts: &[&Value]) -> BTreeSet<String> {
    let operators: Vec<String> = parts.iter().map(|one| text_of(one, "operator")).collect();
    let has = |wanted: &[&str]| operators.iter().any(|one| wanted.contains(&one.as_str()));
    let mut known: Vec<&str> = ASKING.split_whitespace().chain(FORMS.split_whitespace()).collect();
    match read.number_of {
        Some(Some(_)) => known.extend(AGGREGATES.split_whitespace()),
        Some(None) => known.extend(COUNTING.split_whitespace()),
        None => {}
    }
    if read.by_model && has(&[">", ">=", "<", "<=", "between"]) {
        known.extend(COMPARING.split_whitespace());
    }
    let mut known: BTreeSet<String> = known.into_iter().map(str::to_owned).collect();
    for value in parts.iter().flat_map(|one| values(one)) {
        known.extend(low_tokens(&shown(&value)));
    }
    known
}

fn numbers(parts: &[&Value]) -> Vec<f64> {
    parts.iter().flat_map(|one| values(one)).filter_map(|value| value.as_f64()).collect()
}

fn values(condition: &Value) -> Vec<Value> {
    match condition.get("value") {
        Some(Value::Array(values)) => values.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    }
}

fn denies(condition: &Value) -> bool {
    matches!(text_of(condition, "operator").as_str(), "!=" | "not_in")
        || condition.get("value") == Some(&Value::Bool(false))
}

fn text_of(condition: &Value, name: &str) -> String {
    condition.get(name).map(shown).unwrap_or_default()
}

/// Returns the name of a field or collection as words.
pub(in super::super) fn plain(name: &str) -> String {
    name.replace(['-', '_', '.', '/'], " ")
}

/// Returns the stem of the word that names a collection's content: "tickets" of "support-tickets-2024".
pub(in super::super) fn head(view: &CollectionView) -> Option<String> {
    let name = plain(&view.name);
    let words: Vec<Word<'_>> = words_of(&name);
    let last = words.iter().rfind(|word| word.text.chars().any(char::is_alphabetic))?;
    stems(last.text).into_iter().next()
}
