//! What is generated together: the types of one topic.

use crate::agent_options as agent;
use crate::attached;
use crate::build_options::{BuildOptions, ReadFileOptions};
use crate::declared::{Declared, Field};
use crate::error_codes::ErrorCode;
use crate::given;
use crate::library;
use crate::options as own;
use crate::run;
use schemars::JsonSchema;
use std::collections::BTreeMap;
use vademecum_agent::budget::Budget;
use vademecum_agent::capability::Capability;
use vademecum_agent::clarify::Clarification;
use vademecum_agent::context::{By, StepError, TerminatedBy, Thought, ToolCall, Turn, Usage};
use vademecum_agent::coverage::{Coverage, Relaxation};
use vademecum_agent::event::Timed;
use vademecum_agent::llm_call::StepOverrides;
use vademecum_agent::steps;
use vademecum_agent::styles::graph::Graph;
use vademecum_agent::styles::investigate::Investigate;
use vademecum_agent::styles::pipeline::Pipeline;
use vademecum_agent::styles::react::React;
use vademecum_agent::table::Output;
use vademecum_encoder::onnx_options::{Backend, Pooling};
use vademecum_engine::federation::SourceReport;
use vademecum_engine::{Added, CollectionOptions, CollectionStats, DocumentView, Mode};
use vademecum_eval::Case as MadeCase;
use vademecum_firewall::{FoundSuspicion, Removed, SuspicionKind};
use vademecum_grounding::citation::Citation;
use vademecum_grounding::grounding::GroundedSentence;
use vademecum_index::filter::{Facet, FieldType};
use vademecum_index::persist::Lost;
use vademecum_index::vectors::Method;
use vademecum_index::{Arm, EmbeddedChunk};
use vademecum_protocol::document::{Chunk, Hit, Listing, Span};

/// Command that writes the generated files.
pub const COMMAND: &str = "cargo xtask generate";

/// Area of the options of steps.
pub(crate) const STEPS: &str = "pipeline-options";

/// Types of a topic: a file of types, and the table that checks them.
#[derive(Debug)]
pub struct Area {
    /// Name of the file of types, without its ending.
    pub name: &'static str,
    /// Name of the file of tables, without its ending. An entry point loads those that it checks by.
    pub table: &'static str,
    pub(crate) types: Vec<Declared>,
}

impl Area {
    fn new(name: &'static str, table: &'static str) -> Self {
        Self { name, table, types: Vec::new() }
    }

    fn with<T: JsonSchema>(mut self) -> Self {
        self.types.push(Declared::of::<T>());
        self
    }

    /// Adds a type that is checked, and that nobody writes by its name.
    fn checking<T: JsonSchema>(mut self) -> Self {
        self.types.push(Declared { untyped: true, ..Declared::of::<T>() });
        self
    }

    fn sending<T: JsonSchema>(mut self) -> Self {
        self.types.push(Declared::sent::<T>());
        self
    }

    /// Adds a union of which JavaScript makes some objects.
    fn sending_or<T: JsonSchema, More: JsonSchema>(mut self) -> Self {
        self.types.push(Declared::sent::<T>().or::<More>());
        self
    }

    /// Returns whether a type of this name is declared here.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.types.iter().any(|one| one.name == name && !one.untyped)
    }
}

/// Returns all areas.
pub fn areas() -> Vec<Area> {
    inherited(vec![
        Area::new("knowledge-base-options", "knowledge-base")
            .with::<own::WorkOptions>()
            .with::<own::OwnWorkers>()
            .with::<own::MemoryOptions>()
            .with::<own::OpenOptions>()
            .with::<own::ImportOptions>(),
        Area::new("documents-options", "knowledge-base")
            .with::<own::StorageKind>()
            .with::<CollectionOptions>()
            .with::<given::DocumentInput>(),
        Area::new("search-options", "knowledge-base")
            .with::<Mode>()
            .with::<Method>()
            .with::<own::SearchRerank>()
            .with::<own::SearchOptions>()
            .with::<own::ListOptions>()
            .with::<own::FacetOptions>()
            .with::<own::VectorsOptions>(),
        Area::new("searcher-options", "searcher").with::<own::RemoteOptions>().with::<own::ChromaOptions>(),
        Area::new("embedder-options", "embedder")
            .with::<Backend>()
            .with::<Pooling>()
            .with::<own::OnnxOptions>()
            .with::<own::PairModelOptions>()
            .with::<own::CustomEmbedderOptions>(),
        Area::new("cases-options", "knowledge-base").with::<own::MakeCasesOptions>(),
        Area::new("evaluate-options", "evaluate")
            .with::<given::Case>()
            .with::<given::StrategyName>()
            .with::<own::EvaluateOptions>(),
        Area::new("build-options", "build").with::<BuildOptions>(),
        Area::new("files-options", "files").with::<ReadFileOptions>(),
        Area::new("parts-options", "parts")
            .with::<attached::AttachedWorkers>()
            .with::<attached::AttachOptions>()
            .with::<attached::AttachedSearchOptions>()
            .checking::<own::WorkOptions>(),
        Area::new("parts-types", "parts")
            .sending::<attached::MissingPart>()
            .sending::<attached::AttachedSearchResponse>()
            .sending::<attached::AttachedEmbedder>()
            .sending::<attached::CacheStats>()
            .sending::<attached::KeptStats>()
            .sending::<attached::FetchedStats>()
            .sending::<attached::AttachedStats>(),
        Area::new("error-codes", "knowledge-base").with::<ErrorCode>(),
        Area::new("llm-types", "agent").with::<Capability>(),
        Area::new("documents-types", "knowledge-base")
            .sending::<Span>()
            .sending::<Chunk>()
            .sending::<Added>()
            .sending::<DocumentView>()
            .sending::<library::Stats>()
            .sending::<Lost>()
            .sending::<library::Imported>()
            .sending::<CollectionStats>()
            .sending::<FieldType>()
            .sending::<Listing>(),
        Area::new("knowledge-base-types", "knowledge-base").sending::<library::Progress>(),
        Area::new("search-types", "knowledge-base")
            .sending::<Arm>()
            .sending::<Facet>()
            .sending::<Hit>()
            .sending::<library::Reranked>()
            .sending::<library::SearchResponse>()
            .sending::<SourceReport>()
            .sending::<library::ChunkVectors>()
            .sending::<EmbeddedChunk>(),
        Area::new("evaluate-types", "evaluate").sending::<MadeCase>(),
        Area::new("run-types", "agent")
            .with::<By>()
            .sending::<Citation>()
            .sending::<StepError>()
            .sending::<Usage>()
            .sending::<Thought>()
            .sending::<ToolCall>()
            .sending::<GroundedSentence>()
            .sending::<TerminatedBy>()
            .sending_or::<Timed<'static>, run::Sent>()
            .sending::<run::Context>()
            .sending::<run::RunOutcome>(),
        Area::new("styles-types", "agent")
            .sending::<Clarification>()
            .sending::<Relaxation>()
            .sending::<Coverage>()
            .sending::<Output>(),
        Area::new("trust-types", "agent")
            .sending::<SuspicionKind>()
            .sending::<FoundSuspicion>()
            .sending::<Removed>(),
        Area::new("agent-options", "agent")
            .with::<Budget>()
            .with::<agent::RunOptions>()
            .with::<agent::AgentOptions>()
            .with::<Turn>()
            .with::<Pipeline>(),
        Area::new(STEPS, "agent")
            .with::<StepOverrides>()
            .with::<steps::Select>()
            .with::<steps::Decompose>()
            .with::<steps::Search>()
            .with::<steps::Rerank>()
            .with::<steps::Reason>()
            .with::<steps::Answer>()
            .with::<steps::Ground>()
            .checking::<steps::Custom>(),
        Area::new("styles-options", "agent")
            .with::<agent::RunStart>()
            .with::<agent::StyleRunOptions>()
            .with::<React>()
            .with::<Investigate>()
            .with::<Graph>()
            .with::<agent::Tool>()
            .with::<agent::ResumeOptions>(),
        Area::new("conversation-options", "agent").with::<agent::ConversationOptions>(),
    ])
}

/// Returns the name of the type that an interface extends: `Context` of `Omit<Context, "answer">`.
fn name_of(base: &str) -> &str {
    base.split_once('<').map_or(base, |(_, rest)| rest.split(',').next().unwrap_or(rest))
}

/// Leaves out the fields that a type has of those that it extends.
fn inherited(mut areas: Vec<Area>) -> Vec<Area> {
    let fields: BTreeMap<String, Vec<Field>> =
        areas.iter().flat_map(|area| &area.types).map(|one| (one.name.clone(), one.fields.clone())).collect();
    for one in areas.iter_mut().flat_map(|area| &mut area.types) {
        let bases: Vec<&Field> =
            one.extends.iter().filter_map(|base| fields.get(name_of(base))).flatten().collect();
        one.fields.retain(|field| !bases.contains(&field));
    }
    areas
}
