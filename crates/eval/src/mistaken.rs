//! Makes wrong answers to labelled questions, to measure which of a model's mistakes are noticed.

use super::LabelledQuery;
use super::answers::says;
use vademecum_engine::KnowledgeBase;
use vademecum_protocol::document::DEFAULT_COLLECTION;
use vademecum_protocol::error::Result;
use vademecum_text::terms::words;
use vademecum_util::within::Within;

/// Returns the question with a wrong answer in place of the right ones: a name of its relevant documents, or a number if the answer
/// contains one, that is neither in the question nor in a right answer. `None` if there is none.
///
/// # Errors
/// If a document cannot be read.
pub(super) fn mistaken(kb: &KnowledgeBase, query: &LabelledQuery) -> Result<Option<LabelledQuery>> {
    let mut spans = Vec::new();
    for id in query.relevant.keys() {
        let text = kb.document(DEFAULT_COLLECTION, id)?.document.text;
        spans.extend(wrong_spans(&text, query).map(str::to_owned));
    }
    spans.sort_unstable();
    spans.dedup();
    // A fixed choice that differs between questions.
    let chosen = query.text.len().checked_rem(spans.len()).and_then(|at| spans.into_iter().nth(at));
    Ok(chosen.map(|wrong| LabelledQuery { answers: vec![wrong], ..query.clone() }))
}

fn wrong_spans<'t>(text: &'t str, query: &LabelledQuery) -> impl Iterator<Item = &'t str> {
    let of_answers = query.answers.iter().map(|answer| numbers(answer));
    let digits = of_answers.flat_map(|all| all.last().map(|last| last.len())).next();
    let spans = match digits {
        Some(digits) => numbers(text).into_iter().filter(|one| one.len() == digits).collect(),
        None => names(text),
    };
    let is_wrong = |span: &&str| {
        let as_answer = [(*span).to_owned()];
        let is_part = |of: &String| says(of, &as_answer);
        !says(span, &query.answers) && !query.answers.iter().any(is_part) && !is_part(&query.text)
    };
    spans.into_iter().filter(is_wrong)
}

fn has_digit(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_digit())
}

fn numbers(text: &str) -> Vec<&str> {
    words(text).map(|(_, word)| word).filter(|word| has_digit(word)).collect()
}

/// Returns the runs of capitalised words, except single ones at the beginning of a sentence.
fn names(text: &str) -> Vec<&str> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for (start, word) in words(text).filter(|(_, word)| word.starts_with(char::is_uppercase)) {
        let end = start + word.len();
        match runs.last_mut() {
            Some((_, last, count)) if text.within(*last..start) == " " => (*last, *count) = (end, *count + 1),
            _ => runs.push((start, end, 1)),
        }
    }
    let opens = |start: usize| {
        let before = text.within(..start).trim_end_matches([' ', '"', '”', '’', ')']);
        before.chars().next_back().is_none_or(|it| ".!?:\n".contains(it))
    };
    let named = runs.into_iter().filter(|(start, _, count)| *count > 1 || !opens(*start));
    named.map(|(start, end, _)| text.within(start..end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(answer: &str) -> LabelledQuery {
        LabelledQuery {
            id: "q".into(),
            text: "Where did Marie Curie teach?".into(),
            set: "s".into(),
            relevant: [("a".to_owned(), 1)].into(),
            answers: vec![answer.into()],
            rows: false,
            decomposition: Vec::new(),
        }
    }

    const TEXT: &str =
        "Curie taught at the Sorbonne in Paris from 1906. There, Marie Curie met Paul Langevin in 1910.";

    #[test]
    fn wrong_names_are_neither_in_the_question_nor_in_the_answer() {
        let spans: Vec<&str> = wrong_spans(TEXT, &query("the Sorbonne")).collect();
        assert_eq!(spans, ["Paris", "Paul Langevin"]);
    }

    #[test]
    fn a_number_is_mistaken_for_another_number() {
        let spans: Vec<&str> = wrong_spans(TEXT, &query("1906")).collect();
        assert_eq!(spans, ["1910"]);
    }
}
