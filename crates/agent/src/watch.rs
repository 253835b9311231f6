//! The run's use of the firewall: reports every suspicion in what a model is shown once, and determines which addresses an answer
//! may contain.

use super::context::Context;
use super::event::Event;
use super::prompt;
use super::run::Run;
use super::step_id::StepId;
use vademecum_firewall::{Allowed, inspect_chunk, is_suspicious};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::Hit;

impl Run<'_> {
    /// Returns the passages for a prompt, between this run's fences, and reports suspicions in them.
    pub fn fenced(&self, step: &StepId, shown: &[Hit], style: CitationStyle) -> Vec<(&'static str, String)> {
        self.watch(step, shown);
        self.notes.inspections.shown.set(self.notes.inspections.has_shown() || !shown.is_empty());
        prompt::fenced(self.fence, shown, style)
    }

    /// Reports the suspicions in passages that a model is shown, once per passage.
    pub fn watch(&self, step: &StepId, shown: &[Hit]) {
        for hit in shown {
            if !self.notes.inspections.seen.borrow_mut().insert(hit.chunk.key().map(str::to_owned)) {
                continue;
            }
            for suspicion in inspect_chunk(&hit.chunk) {
                self.observer.event(&Event::Suspicion { step: step.clone(), suspicion: suspicion.clone() });
                self.notes.inspections.found.borrow_mut().push(suspicion);
            }
        }
    }
}

impl Context {
    /// Returns the addresses that an answer from these passages may contain: those in passages without a suspicion, and those
    /// that the user wrote.
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
