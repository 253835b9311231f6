//! Scoring of the agent: answers without their citations, and the oracle by what it was shown.

use vademecum::eval::{AgentRow, GoldStep, LabelledQuery, Strategy, measure_agent};
use vademecum::platform::Native;
use vademecum_testing::{add, block_on, hashing, kb, markdown};

fn query(text: &str, answers: &[&str], parts: &[(&str, &str)]) -> LabelledQuery {
    let step = |(question, answer): &(&str, &str)| GoldStep {
        question: (*question).into(),
        answer: (*answer).into(),
    };
    LabelledQuery {
        id: "q1".into(),
        text: text.into(),
        set: "set".into(),
        relevant: [("faust.md".to_owned(), 1)].into_iter().collect(),
        answers: answers.iter().map(|answer| (*answer).into()).collect(),
        rows: false,
        decomposition: parts.iter().map(step).collect(),
    }
}

fn score(strategy: Strategy, document: &str, query: LabelledQuery) -> AgentRow {
    let kb = kb(hashing());
    add(&kb, vec![markdown("faust.md", document)]).unwrap();
    let rows = block_on(measure_agent(&kb, &[query], strategy, 0.0, &Native::default())).unwrap();
    rows[0].clone()
}

#[test]
fn citations_are_not_part_of_an_answer() {
    let cited = query("Who wrote Faust?", &["Goethe wrote Faust"], &[]);
    let row = score(Strategy::SingleShot, "Goethe wrote Faust.", cited);
    assert_eq!((row.exact_match, row.f1), (1.0, 1.0));
    let number = query("Who wrote Faust?", &["1"], &[]);
    let row = score(Strategy::SingleShot, "Goethe wrote Faust. 🎭", number);
    assert_eq!((row.exact_match, row.f1), (0.0, 0.0), "the number of a citation is no answer");
}

#[test]
fn the_oracle_answers_from_the_passages_not_from_the_question() {
    let asked = || {
        let parts = [("Who wrote Faust?", "Goethe"), ("Was #1 the author of Werther, too?", "")];
        query("Which author wrote both Faust and Werther?", &["Goethe"], &parts)
    };
    let row = score(Strategy::Oracle, "Goethe wrote Faust, and Werther as well.", asked());
    assert_eq!((row.exact_match, row.llm_calls), (1.0, 2.0));
    let row = score(Strategy::Oracle, "Faust and Werther are books.", asked());
    assert_eq!(row.exact_match, 0.0, "the second part alone says who it was");
}
