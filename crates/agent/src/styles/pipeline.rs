//! The pipeline: the author's steps, in the author's order.

use super::nodes::{One, Only, misnamed};
use super::{Listed, StyleSpec};
use crate::budget::{Account, Budget};
use crate::capability::Capability;
use crate::checkpoint::State;
use crate::clarify;
use crate::context::{Context, Request, StepError, TerminatedBy, Turn, Workspace};
use crate::history::DEFAULT_TOKENS;
use crate::library::Library;
use crate::ports::{Functions, Llm, Observer, Searcher};
use crate::reply::MOST_BYTES;
use crate::run::{KnownLlm, Notes, Run, Step};
use crate::scratchpad::{Pending, Progress};
use crate::step_id::StepId;
use crate::steps::{
    Answer, Custom, Decompose, Expand, Gate, Ground, Reason, Rerank, Rewrite, Search, Select, stated,
    written_call,
};
use crate::tools::UserTool;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;
use vademecum_text::terms;

/// One step as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum StepSpec {
    /// Decides whether to search.
    Gate(Gate),
    /// Makes the question stand by itself.
    Rewrite(Rewrite),
    /// Chooses collections.
    #[serde(alias = "route")]
    Select(Select),
    /// Adds related terms.
    Expand(Expand),
    /// Takes the question apart.
    Decompose(Decompose),
    /// Finds chunks.
    Search(Search),
    /// Ranks what was found and keeps the best.
    Rerank(Rerank),
    /// Looks for what is still missing.
    Reason(Reason),
    /// Writes the answer.
    Answer(Answer),
    /// Traces the answer's sentences to what supports them.
    Ground(Ground),
    /// A function of the caller's.
    Custom(Custom),
}

impl StepSpec {
    fn step(&self) -> &dyn Step {
        match self {
            Self::Gate(gate) => gate,
            Self::Rewrite(rewrite) => rewrite,
            Self::Select(select) => select,
            Self::Expand(expand) => expand,
            Self::Decompose(decompose) => decompose,
            Self::Search(search) => search,
            Self::Rerank(rerank) => rerank,
            Self::Reason(reason) => reason,
            Self::Answer(answer) => answer,
            Self::Ground(ground) => ground,
            Self::Custom(custom) => custom,
        }
    }
}

/// A pipeline as data: it can be sent, saved and read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pipeline {
    /// What is asked.
    pub question: String,
    /// What was asked and answered before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Turn>,
    /// The tokens that the history may have; what is over is summed up.
    #[serde(default = "default_history_tokens")]
    pub history_tokens: usize,
    /// The most chunks each search keeps.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// The least cosine of a vector hit; the embedder's default where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f32>,
    /// Only chunks of documents whose metadata this wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
    /// The collections to search where the search step names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<String>>,
    /// The model named in requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the run's LLM takes requests for JSON; found out where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// The same of the LLMs that steps are given for themselves, by the names the steps call them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, Capability>,
    /// How many searches, or calls of functions, go on at once.
    #[serde(default = "default_concurrency")]
    pub concurrency: usize,
    /// The most bytes of text and of calls that a reply of an LLM may have.
    #[serde(default = "default_max_reply_bytes")]
    pub max_reply_bytes: usize,
    /// What the run may spend.
    #[serde(default)]
    pub budget: Budget,
    /// Whether an LLM that fails ends the run, where a rule would go on without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The steps, in order; none where a style says what is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepSpec>,
    /// The style, in the place of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<StyleSpec>,
    /// One node of the graph style, to be taken alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Box<Only>>,
    /// Tools of the caller's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<UserTool>,
    /// Whether the run's LLM is known to take tools, or not to; found out where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_tools: Option<bool>,
    /// Whether the state is told after every step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checkpoints: bool,
    /// A run that was stopped, to be gone on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Box<Resume>>,
}

/// What a stopped run is gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resume {
    /// What the result of that run, or its last checkpoint, held.
    pub state: Value,
    /// What the user answers to its clarification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

fn default_history_tokens() -> usize {
    DEFAULT_TOKENS
}

fn default_limit() -> usize {
    5
}

fn default_max_reply_bytes() -> usize {
    MOST_BYTES
}

fn default_concurrency() -> usize {
    4
}

/// What a pipeline runs on.
pub struct Ports<'a> {
    /// The models, if there are any.
    pub llm: &'a dyn Llm,
    /// Finds chunks.
    pub searcher: &'a dyn Searcher,
    /// The caller's own parts.
    pub functions: &'a dyn Functions,
    /// Is told of events.
    pub observer: &'a dyn Observer,
    /// The clock.
    pub platform: &'a dyn Platform,
    /// Ends the run early.
    pub cancel: Cancel,
}

impl std::fmt::Debug for Ports<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Ports").finish_non_exhaustive()
    }
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

/// Whether a step or a style names an LLM of its own, wherever in its options.
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
            Some(resume) => State::read(&resume.state).map(|_| ()),
            None => self.check_resumed(),
        }
    }

    /// The same of one that is gone on with.
    pub(crate) fn check_resumed(&self) -> Result<()> {
        self.style.as_ref().map_or(Ok(()), StyleSpec::check)?;
        self.only.as_ref().map_or(Ok(()), |only| self.check_only(only))?;
        if terms::is_blank(&self.question) {
            Err(Error::EmptyQuestion)
        } else if self.steps.is_empty() && self.style.is_none() {
            Err(Error::invalid("steps", "at least one step, such as .search().answer()", "none"))
        } else if self.limit == 0 {
            Err(Error::invalid("limit", "at least 1", "0"))
        } else if self.concurrency == 0 {
            Err(Error::invalid("concurrency", "at least 1", "0"))
        } else if self.max_reply_bytes == 0 {
            Err(Error::invalid("maxReplyBytes", "at least 1", "0"))
        } else if self.budget.ms.is_some_and(|ms| !ms.is_finite() || ms <= 0.0) {
            Err(Error::invalid(
                "budget.ms",
                "more than 0",
                format!("{:?}", self.budget.ms.unwrap_or_default()),
            ))
        } else {
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
        only.state.as_ref().map_or(Ok(()), |state| State::read(state).map(|_| ()))?;
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
        let saved = only.state.as_ref().map(State::read);
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
            Err(error) => self.failed(&error, only.step.as_str()),
        }
    }

    /// Takes the steps. A failing step is told in the result, never by a panic or an error.
    pub async fn run(&self, ports: Ports<'_>) -> Context {
        let index = ports.searcher.fingerprint();
        if let Some(only) = &self.only {
            return self.take_one(ports, only, index).await;
        }
        let Some(resume) = &self.resume else {
            return self.begin(ports, self.context(), index, false).await;
        };
        match State::read(&resume.state) {
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
                    clarify::apply(&mut context, asked.understand(answer, stated));
                }
                pipeline.begin(ports, context, index, changed).await
            }
            Err(error) => self.failed(&error, "resume"),
        }
    }

    /// The result of a run that could not begin.
    fn failed(&self, error: &Error, step: &str) -> Context {
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
            parts: self.style.as_ref().map(StyleSpec::parts).unwrap_or_default(),
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
                "resume",
                &Error::IndexChanged,
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
