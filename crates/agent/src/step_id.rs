//! The identity of a step in events, errors, budgets and styles.

use serde::{Deserialize, Serialize};
use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt;

macro_rules! steps {
    ($($name:ident = $text:literal,)*) => {
        /// The name of a step: a built-in one, or one chosen by the caller. `start` and `end` are the ends of a graph.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(from = "Cow<'static, str>", into = "Cow<'static, str>")]
        pub enum StepId {
            $(#[doc = concat!("`", $text, "`")] $name,)*
            /// A custom step.
            Own(Cow<'static, str>),
        }

        impl StepId {
            /// Returns the name.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$name => $text,)*
                    Self::Own(name) => name,
                }
            }
        }

        impl From<Cow<'static, str>> for StepId {
            fn from(name: Cow<'static, str>) -> Self {
                match &*name {
                    $($text => Self::$name,)*
                    _ => Self::Own(name),
                }
            }
        }
    };
}

steps! {
    Act = "act",
    AnalyzeQuery = "analyze_query",
    Answer = "answer",
    Compose = "compose",
    Decompose = "decompose",
    Edge = "edge",
    End = "end",
    ExecuteTools = "execute_tools",
    Expand = "expand",
    Gate = "gate",
    GradeResults = "grade_results",
    Ground = "ground",
    Plan = "plan",
    Prune = "prune",
    Reason = "reason",
    Relax = "relax",
    Rerank = "rerank",
    Review = "review",
    Rewrite = "rewrite",
    Search = "search",
    Select = "select",
    Sources = "sources",
    Start = "start",
    Summarize = "summarize",
    Synthesize = "synthesize",
    Tabulate = "tabulate",
    Think = "think",
    Tool = "tool",
    Verify = "verify",
}

impl From<StepId> for Cow<'static, str> {
    fn from(id: StepId) -> Self {
        match id {
            StepId::Own(name) => name,
            known => Cow::Owned(known.as_str().to_owned()),
        }
    }
}

impl From<&str> for StepId {
    fn from(name: &str) -> Self {
        Cow::<'static, str>::Owned(name.to_owned()).into()
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

// Ordered by name.
impl Ord for StepId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for StepId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

// For `join`.
impl Borrow<str> for StepId {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<str> for StepId {
    fn eq(&self, name: &str) -> bool {
        self.as_str() == name
    }
}

impl PartialEq<&str> for StepId {
    fn eq(&self, name: &&str) -> bool {
        self.as_str() == *name
    }
}
