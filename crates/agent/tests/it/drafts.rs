//! The answer by words that is sent while an encoder compares sentences.

use futures_util::future::LocalBoxFuture;
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use vademecum::agent::event::Event;
use vademecum::cancel::Cancel;
use vademecum::encoder::hashing::HashingEmbedder;
use vademecum::encoder::{Embedder, Embeddings, Kind};
use vademecum::error::Result;
use vademecum_testing::agent::{NoLlm, ScriptedLlm, TestFunctions, pipeline, run_with};
use vademecum_testing::{add, kb, markdown, turn};

/// Embeds documents slowly while a flag is set.
#[derive(Default)]
struct Late(Cell<bool>);

impl Embedder for Late {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        Box::pin(async move {
            if self.0.get() && kind == Kind::Document {
                let begun = Instant::now();
                while begun.elapsed() < Duration::from_millis(80) {
                    turn().await;
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            HashingEmbedder.embed(texts, kind).await
        })
    }
}

/// Returns the events that carry text of the answer: `draft` or `token`, with the text.
fn sent(is_late: bool, with_llm: bool) -> Vec<(&'static str, String)> {
    let embedder = Rc::new(Late::default());
    let kb = kb(Some(embedder.clone()));
    let text = "# Quay\n\nThe quay of Ozymand is 212 metres long. Ships land there at dawn. The crane was built by Ada Lund.";
    add(&kb, vec![markdown("quay.md", text)]).unwrap();
    embedder.0.set(is_late);
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let asked = pipeline(json!({ "question": "How long is the quay of Ozymand?", "steps": steps }));
    let llm = ScriptedLlm::replying([Ok("It is 212 metres long [1].".to_owned())]);
    let (functions, cancel) = (TestFunctions::default(), Cancel::default());
    let (_, events) = if with_llm {
        run_with(&asked, &kb, &llm, &functions, cancel)
    } else {
        run_with(&asked, &kb, &NoLlm, &functions, cancel)
    };
    let events = events.0.borrow();
    let of_answer = events.iter().filter_map(|event| match event {
        Event::Draft { text, .. } => Some(("draft", text.clone())),
        Event::Token { text, .. } => Some(("token", text.clone())),
        _ => None,
    });
    of_answer.collect()
}

#[test]
fn while_an_encoder_compares_sentences_the_answer_by_words_is_sent() {
    let sent = sent(true, false);
    assert_eq!(sent.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["draft", "token"]);
    assert!(
        sent.iter().all(|(_, text)| text.starts_with("The quay of Ozymand is 212 metres long. [1]")),
        "{sent:?}"
    );
}

#[test]
fn neither_a_fast_encoder_nor_a_model_needs_a_draft() {
    for (is_late, with_llm) in [(false, false), (true, true)] {
        assert!(sent(is_late, with_llm).iter().all(|(kind, _)| *kind == "token"), "{is_late}, {with_llm}");
    }
}
