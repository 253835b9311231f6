//! Checks a pipeline, runs it, and goes on with one that was stopped.

use super::nodes::{One, Only, misnamed};
use super::pipeline::{CONCURRENCY, LIMIT, Pipeline, Ports, REPLY_BYTES, StepSpec};
use super::{Listed, StyleSpec};
use crate::budget::{Account, Budget};
use crate::checkpoint::State;
use crate::clarified;
use crate::context::{Context, Request, StepError, TerminatedBy, Workspace};
use crate::errors::index_changed;
use crate::library::Library;
use crate::ports::{Llm, Searcher};
use crate::run::{KnownLlm, Notes, Run};
use crate::scratchpad::{Pending, Progress};
use crate::step_id::StepId;
use crate::steps::{Custom, stated, written_call};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms;

/// Reads the state of a stopped run, and checks its pipeline.
fn read_state(value: &Value) -> Result<State> {
    let state = State::read(value)?;
    state.pipeline.check_resumed()?;
    Ok(state)
}

/// Marks passages whose documents have come to be never sent since the run was stopped. A chat with a model that quotes one is begun
/// anew.
fn keep_on_device(context: &mut Context, searcher: &dyn Searcher) {
    let mut known: HashMap<(String, String), bool> = HashMap::new();
    let mut marked = false;
    let results = context.results.iter_mut().flatten().flat_map(|result| &mut result.chunks);
    let kept = context.ranked.iter_mut().flatten().chain(&mut context.context_used);
    for hit in results.chain(kept).chain(&mut context.workspace.progress.shown) {
        let key = (hit.chunk.collection.clone(), hit.chunk.doc_id.clone());
        // Where that cannot be told, none of them is shown to a model.
        let never = *known.entry(key).or_insert_with_key(|(collection, id)| {
            let now = searcher.document(std::slice::from_ref(collection), id, None);
            now.map_or(true, |now| now.is_some_and(|(summary, _)| summary.never_sent()))
        });
        if never && !hit.chunk.never_sent() {
            hit.chunk.keep_on_device();
            marked = true;
        }
    }
    if marked {
        context.workspace.progress.messages.clear();
        context.workspace.progress.shown.retain(|hit| !hit.chunk.never_sent());
    }
}

/// Leaves out what a run that may ask an LLM has found before as one that could not.
fn leave_out_withheld(context: &mut Context) {
    let results = context.results.iter_mut().flatten().map(|result| &mut result.chunks);
    for chunks in results.chain(&mut context.ranked) {
        chunks.retain(|hit| !hit.chunk.never_sent());
    }
    if context.output.as_ref().is_some_and(|output| output.withheld) {
        context.output = None;
    }
}

/// Whether a step or a style has its own LLM, anywhere in its options.
fn names_llm(options: &Value) -> bool {
    match options {
        Value::Array(parts) => parts.iter().any(names_llm),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| (name == "llm" && !value.is_null()) || names_llm(value))
        }
        _ => false,
    }
}

impl Pipeline {
    /// Misuse, told before anything runs.
    ///
    /// # Errors
    /// [`Error::EmptyQuestion`]; [`Error::InvalidArgument`] for no steps, or a number out of its range.
    pub fn check(&self) -> Result<()> {
        match &self.resume {
            Some(resume) => read_state(&resume.state).map(|_| ()),
            None => self.check_resumed(),
        }
    }

    /// The same of one that is gone on with.
    fn check_resumed(&self) -> Result<()> {
        self.style.as_ref().map_or(Ok(()), StyleSpec::check)?;
        self.only.as_ref().map_or(Ok(()), |only| self.check_only(only))?;
        if terms::is_blank(&self.question) {
            Err(Error::EmptyQuestion)
        } else if self.steps.is_empty() && self.style.is_none() {
            Err(Error::invalid("steps", "at least one step, such as .search().answer()", "none"))
        } else if let Some(ms) = self.budget.ms.filter(|ms| !ms.is_finite() || *ms <= 0.0) {
            Err(Error::invalid("budget.ms", "more than 0", format!("{ms:?}")))
        } else {
            LIMIT.check(self.limit)?;
            CONCURRENCY.check(self.concurrency)?;
            REPLY_BYTES.check(self.max_reply_bytes)?;
            self.steps.iter().try_for_each(|step| step.step().check())
        }
    }

    fn check_only(&self, only: &Only) -> Result<()> {
        let names: Vec<StepId> = match &self.style {
            Some(StyleSpec::Graph(graph)) => graph.own.names().collect(),
            _ => Vec::new(),
        };
        if !names.contains(&only.step) {
            let expected = format!("the name of a node ({})", names.join(", "));
            let known = names.iter().map(StepId::as_str);
            return Err(Error::invalid("step", expected, misnamed(&only.step, known)));
        }
        only.state.as_ref().map_or(Ok(()), |state| read_state(state).map(|_| ()))?;
        self.begun_with(only, self.context()).map(|_| ())
    }

    /// The context that a node taken alone is given.
    fn begun_with(&self, only: &Only, mut context: Context) -> Result<Context> {
        context.log.terminated_by = TerminatedBy::Completed;
        if let Some(mut given) = only.given.clone() {
            if let Some(calls) = given.remove("calls") {
                let each = calls.as_array().map_or_else(|| vec![&calls], |calls| calls.iter().collect());
                let calls: Option<Vec<Pending>> = each.into_iter().map(written_call).collect();
                context.workspace.progress.pending = calls.ok_or_else(|| {
                    Error::invalid("step.calls", "a list of { tool, args }", "something else")
                })?;
            }
            Custom { name: only.step.clone(), function: String::new() }.apply(&mut context, given)?;
        }
        Ok(context)
    }

    async fn take_one(&self, ports: Ports<'_>, only: &Only, index: Option<String>) -> Context {
        let saved = only.state.as_ref().map(read_state);
        let begun = match saved {
            None => self.begun_with(only, self.context()).map(|context| (context, false)),
            Some(state) => state.and_then(|state| {
                let changed = state.is_of_another(index.as_deref());
                let mut context = state.resumed(changed);
                keep_on_device(&mut context, ports.searcher);
                if self.may_ask(ports.llm) {
                    leave_out_withheld(&mut context);
                }
                self.begun_with(only, context).map(|context| (context, changed))
            }),
        };
        match begun {
            Ok((context, changed)) => self.begin(ports, context, index, changed).await,
            Err(error) => self.failed(&error, &only.step),
        }
    }

    /// Runs the steps. The result reports a failing step; this never panics or returns an error.
    pub async fn run(&self, ports: Ports<'_>) -> Context {
        let index = ports.searcher.fingerprint();
        if let Some(only) = &self.only {
            return self.take_one(ports, only, index).await;
        }
        let Some(resume) = &self.resume else {
            return self.begin(ports, self.context(), index, false).await;
        };
        match read_state(&resume.state) {
            Ok(state) => {
                // What may be spent is said anew; all else is as it was.
                let pipeline = Self {
                    budget: if self.budget == Budget::default() {
                        state.pipeline.budget
                    } else {
                        self.budget
                    },
                    checkpoints: self.checkpoints,
                    capability: self.capability.or(state.pipeline.capability),
                    capabilities: self.capabilities.clone(),
                    tools: if self.tools.is_empty() {
                        state.pipeline.tools.clone()
                    } else {
                        self.tools.clone()
                    },
                    ..state.pipeline.clone()
                };
                let changed = state.is_of_another(index.as_deref());
                let mut context = state.resumed(changed);
                keep_on_device(&mut context, ports.searcher);
                if pipeline.may_ask(ports.llm) {
                    leave_out_withheld(&mut context);
                }
                if let (Some(answer), Some(asked)) = (&resume.answer, context.clarification.clone()) {
                    let stated = stated(answer, &pipeline.library(&ports).collections());
                    clarified::apply(&mut context, asked.understand(answer, stated));
                }
                pipeline.begin(ports, context, index, changed).await
            }
            Err(error) => self.failed(&error, &"resume".into()),
        }
    }

    /// The result of a run that could not begin.
    fn failed(&self, error: &Error, step: &StepId) -> Context {
        let mut context = self.context();
        (context.log.terminated_by, context.log.error) =
            (TerminatedBy::Error, Some(StepError::of(error, step)));
        context
    }

    fn context(&self) -> Context {
        Context {
            request: Request {
                question: self.question.clone(),
                history: self.history.clone(),
                limit: self.limit,
                threshold: self.threshold,
            },
            filters: self.filters.clone(),
            collections: self.collections.clone(),
            workspace: Workspace {
                progress: Progress { takes_tools: self.takes_tools, ..Progress::default() },
                ..Workspace::default()
            },
            ..Context::default()
        }
    }

    async fn begin(
        &self,
        ports: Ports<'_>,
        context: Context,
        index: Option<String>,
        changed: bool,
    ) -> Context {
        let keep =
            |context: &Context| serde_json::to_value(State::of(self, context.clone(), index.clone())).ok();
        let run = Run {
            llm: ports.llm,
            searcher: self.library(&ports),
            functions: ports.functions,
            observer: ports.observer,
            platform: ports.platform,
            cancel: ports.cancel,
            model: self.model.clone(),
            concurrency: self.concurrency,
            tools: &self.tools,
            search_overrides: self.style.as_ref().map(StyleSpec::search_overrides).unwrap_or_default(),
            keep: &keep,
            checkpoints: self.checkpoints,
            strict: self.strict,
            history_tokens: self.history_tokens,
            max_reply_bytes: self.max_reply_bytes,
            account: Account::new(self.budget),
            llms: RefCell::new(self.known_llms()),
            notes: Notes::default(),
            fence: ports.platform.random(),
            started: ports.platform.now(),
            step_started: Cell::new(0.0),
        };
        if changed {
            run.tell_failure(
                &"resume".into(),
                &index_changed(),
                "what was found before the change stays evidence",
            );
        }
        match &self.style {
            Some(style) => {
                let style = style.style();
                let Some(only) = &self.only else { return run.take(&*style, context).await };
                let after = context.steps_taken.len();
                run.take(&One { style: &*style, step: &only.step, after }, context).await
            }
            None => run.take(&Listed(self.steps.iter().map(StepSpec::step).collect()), context).await,
        }
    }

    /// Whether the run may ask an LLM. In doubt it may.
    fn may_ask(&self, llm: &dyn Llm) -> bool {
        let options = serde_json::to_value((&self.steps, &self.style));
        llm.has(None) || options.map_or(true, |options| names_llm(&options))
    }

    /// What the run searches in.
    fn library<'a>(&self, ports: &Ports<'a>) -> Library<'a> {
        if self.may_ask(ports.llm) {
            Library::sendable(ports.searcher)
        } else {
            Library::whole(ports.searcher)
        }
    }

    fn known_llms(&self) -> BTreeMap<Option<String>, KnownLlm> {
        let known = |capability| KnownLlm { capability, ..KnownLlm::default() };
        let of_steps =
            self.capabilities.iter().map(|(name, capability)| (Some(name.clone()), known(Some(*capability))));
        [(None, known(self.capability))].into_iter().chain(of_steps).collect()
    }
}
