//! What a run does about what passages may hold: it tells of everything suspicious that a model is shown, once, and says which
//! addresses an answer may name.

use super::context::Context;
use super::event::Event;
use super::prompt;
use super::run::Run;
use vademecum_firewall::{Allowed, inspect_chunk, is_suspicious};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::Hit;

impl Run<'_> {
    /// The passages as a step shows them to a model, between this run's fences. What is suspicious in them is told.
    pub fn fenced(&self, step: &str, shown: &[Hit], style: CitationStyle) -> Vec<(&'static str, String)> {
        self.watch(step, shown);
        self.notes.guard.shown.set(self.notes.guard.has_shown() || !shown.is_empty());
        prompt::fenced(self.fence, shown, style)
    }

    /// Tells what is suspicious in passages that a model is shown, of each passage once.
    pub fn watch(&self, step: &str, shown: &[Hit]) {
        for hit in shown {
            if !self.notes.guard.seen.borrow_mut().insert(hit.chunk.key().map(str::to_owned)) {
                continue;
            }
            for suspicion in inspect_chunk(&hit.chunk) {
                self.observer
                    .event(&Event::Suspicion { step: step.to_owned(), suspicion: suspicion.clone() });
                self.notes.guard.found.borrow_mut().push(suspicion);
            }
        }
    }
}

impl Context {
    /// The addresses that an answer from these passages may name: those in them, where nothing is suspicious, and those that the
    /// user has written.
    pub fn allowed(&self, evidence: &[Hit]) -> Allowed {
        let asked = self
            .request
            .history
            .iter()
            .map(|turn| turn.question.as_str())
            .chain([self.request.question.as_str()]);
        asked.fold(Allowed::of(evidence, is_suspicious), Allowed::and)
    }
}
