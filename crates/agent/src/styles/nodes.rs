//! Nodes and edges of the caller's own in the graph style, and one node of it taken alone.

use crate::context::Context;
use crate::run::{Run, Step};
use crate::step_id::StepId;
use crate::steps::{Branch, Custom};
use crate::style::Style;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vademecum_protocol::error::{Error, Result};
use vademecum_text::nearest::nearest;

/// Where a run begins: before its first node.
pub const START: StepId = StepId::Start;
/// Where a run ends.
pub const END: StepId = StepId::End;
/// The nodes that every graph has.
pub const BUILT_IN: [StepId; 6] = [
    StepId::Rewrite,
    StepId::AnalyzeQuery,
    StepId::ExecuteTools,
    StepId::GradeResults,
    StepId::Synthesize,
    StepId::Ground,
];
/// Letters of a node's name.
const LONGEST: usize = 64;

/// What the caller adds to the graph.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Nodes {
    /// Functions that are given the run's context and return what they change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Custom>,
    /// What follows a node, in the place of what usually does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
}

/// What follows a node: another one, or the one that a function of the caller's names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The node, or [`START`].
    pub from: StepId,
    /// The next one, or [`END`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<StepId>,
    /// The name of the function: `context → the name of a node, or nothing for what usually follows`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub router: Option<String>,
}

impl Nodes {
    /// Misuse: names that are taken or unknown, two edges from one node, a node that no edge can lead to.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    pub fn check(&self) -> Result<()> {
        let quoted = |id: &StepId| format!("`{id}`");
        for (at, node) in self.nodes.iter().enumerate() {
            let plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-');
            let name = node.name.as_str();
            let named = (1..=LONGEST).contains(&name.len()) && name.chars().all(plain);
            let is_taken = [START, END, StepId::Edge, StepId::Sources].contains(&node.name)
                || BUILT_IN.contains(&node.name)
                || self.nodes.iter().take(at).any(|one| one.name == node.name);
            if !named || is_taken {
                let expected = "a name of its own, of up to 64 letters, digits, _ and -";
                return Err(Error::invalid("addNode", expected, quoted(&node.name)));
            }
        }
        let names: Vec<StepId> = self.names().collect();
        let texts = || names.iter().map(StepId::as_str);
        for (at, edge) in self.edges.iter().enumerate() {
            let is_known = |id: &StepId| names.contains(id);
            let known = || format!("the name of a node ({})", names.join(", "));
            let unknown = |id: &StepId, end: StepId| misnamed(id, texts().chain([end.as_str()]));
            if edge.from != START && !is_known(&edge.from) {
                return Err(Error::invalid(
                    "addEdge",
                    format!("from `start` or {}", known()),
                    unknown(&edge.from, START),
                ));
            }
            if self.edges.iter().take(at).any(|one| one.from == edge.from) {
                return Err(Error::invalid(
                    "addEdge",
                    "one edge from each node",
                    format!("a second one from {}", quoted(&edge.from)),
                ));
            }
            match &edge.to {
                Some(to) if *to != END && !is_known(to) => {
                    return Err(Error::invalid(
                        "addEdge",
                        format!("to `end` or {}", known()),
                        unknown(to, END),
                    ));
                }
                None if edge.router.is_none() => {
                    return Err(Error::invalid("addEdge", "to a node, or by a function", "nothing"));
                }
                _ => {}
            }
        }
        let leads_to =
            |id: &StepId| self.edges.iter().any(|edge| edge.router.is_some() || edge.to.as_ref() == Some(id));
        match self.nodes.iter().find(|node| !leads_to(&node.name)) {
            Some(node) => Err(Error::invalid("addNode", "a node that an edge leads to", quoted(&node.name))),
            None => Ok(()),
        }
    }

    /// The names of all nodes of the graph.
    pub fn names(&self) -> impl Iterator<Item = StepId> {
        BUILT_IN.into_iter().chain(self.nodes.iter().map(|node| node.name.clone()))
    }

    /// The edges as a run follows them.
    pub fn flow(&self) -> Flow {
        let branch = |edge: &Edge| {
            let targets = self.names().chain([END]).collect();
            edge.router.as_ref().map(|function| Branch {
                from: edge.from.clone(),
                function: function.clone(),
                targets,
            })
        };
        let edges = self.edges.iter().map(|edge| (edge.clone(), branch(edge))).collect();
        Flow { nodes: self.nodes.clone(), edges }
    }
}

/// A name that no node has, with the one that was probably meant.
pub(super) fn misnamed<'a>(id: &StepId, known: impl IntoIterator<Item = &'a str>) -> String {
    let hint = nearest(id.as_str(), known).map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
    format!("`{id}`{hint}")
}

/// Nodes and edges as a run follows them.
#[derive(Debug, Default)]
pub struct Flow {
    nodes: Vec<Custom>,
    edges: Vec<(Edge, Option<Branch>)>,
}

/// Where an edge leads.
pub(super) enum Next<'s> {
    /// To a step of the edge's own, or of the caller's.
    Step(&'s dyn Step),
    /// To a node of the graph, by its name.
    Node(&'s StepId),
    /// To the end.
    End,
    /// There is none, or its target has reached the maximum number of visits.
    Usual,
}

impl Flow {
    /// Returns the successor of the last step by the caller's edges. No node is visited more than `most` times.
    pub(super) fn next(&self, context: &Context, most: usize) -> Next<'_> {
        let taken = &context.steps_taken;
        let last = taken.iter().rev().find(|step| **step != StepId::Edge).unwrap_or(&START);
        let Some((edge, branch)) = self.edges.iter().find(|(edge, _)| edge.from == *last) else {
            return Next::Usual;
        };
        let target = match branch {
            None => edge.to.as_ref(),
            Some(branch) if taken.last().is_none_or(|step| *step != StepId::Edge) => {
                return Next::Step(branch);
            }
            // One of the names that it may return, so that what is given back is the graph's own.
            Some(branch) => {
                let said = context.workspace.progress.goto.as_ref();
                branch.targets.iter().find(|target| Some(*target) == said)
            }
        };
        match target {
            Some(&END) => Next::End,
            Some(id) if context.times_taken(id) < most => self.own(id).map_or(Next::Node(id), Next::Step),
            _ => Next::Usual,
        }
    }

    /// A node of the caller's.
    pub fn own(&self, id: &StepId) -> Option<&dyn Step> {
        self.nodes.iter().find(|node| node.name == *id).map(|node| node as &dyn Step)
    }
}

/// One node of a graph, to be taken alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Only {
    /// Its name.
    pub step: StepId,
    /// The state of a run that it goes on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// What it is given beside, as a step of the caller's would return it; `calls` are those that are to be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Map<String, Value>>,
}

/// A style of one step of another.
pub struct One<'a> {
    /// The other.
    pub style: &'a dyn Style,
    /// The step.
    pub step: &'a StepId,
    /// How many steps were taken before it.
    pub after: usize,
}

impl std::fmt::Debug for One<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("One").field("step", &self.step).finish_non_exhaustive()
    }
}

impl Style for One<'_> {
    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step> {
        self.style.step(self.step).filter(|_| context.steps_taken.len() == self.after)
    }

    fn answers_after(&self, _: &Context, _: &dyn Step) -> bool {
        false
    }

    fn fetches(&self, run: &Run<'_>, context: &Context) -> usize {
        self.style.fetches(run, context)
    }

    fn is_part(&self) -> bool {
        true
    }
}
