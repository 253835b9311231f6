//! Tools that a model may call to find evidence: one file per built-in tool, and the caller's own tools, which are functions with
//! a description.

mod list;
mod lookup;
mod metadata;
mod search;
mod tool;
mod user_tool;
mod user_tool_adapter;

pub use tool::{FINAL_ANSWER, LIST, METADATA, Outcome, SUMMARIES, Tool, Use};
pub use user_tool::UserTool;

use serde_json::{Value, json};

/// The built-in tools of a style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// `search`, `refine_and_search`, `final_answer`.
    React,
    /// `search_text`, `search_semantic`, `search_summaries`, `list_documents`, `get_document_metadata`, `document_lookup`.
    Investigate,
    /// `vector_search`, `keyword_search`, `document_lookup`.
    Graph,
}

impl Toolset {
    /// Returns the tools of the style with this name.
    pub fn of_style(name: &str) -> Option<Self> {
        match name {
            "react" => Some(Self::React),
            "investigate" => Some(Self::Investigate),
            "graph" => Some(Self::Graph),
            _ => None,
        }
    }
}

/// The tools of a run.
pub struct Toolbox<'a>(Vec<Box<dyn Tool + 'a>>);

impl std::fmt::Debug for Toolbox<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|tool| tool.name())).finish()
    }
}

impl<'a> Toolbox<'a> {
    /// Creates the tools of a style together with the caller's own.
    pub fn of(set: Toolset, own: &'a [UserTool]) -> Self {
        let mut tools: Vec<Box<dyn Tool + 'a>> = match set {
            Toolset::React => vec![Box::new(search::SEARCH), Box::new(search::REFINE)],
            Toolset::Investigate => vec![
                Box::new(search::SEARCH_TEXT),
                Box::new(search::SEARCH_SEMANTIC),
                Box::new(search::Summaries),
                Box::new(list::ListDocuments),
                Box::new(metadata::Metadata),
                Box::new(lookup::Lookup),
            ],
            Toolset::Graph => {
                vec![Box::new(search::VECTOR), Box::new(search::KEYWORD), Box::new(lookup::Lookup)]
            }
        };
        // A caller's tool replaces a built-in one of the same name.
        tools.retain(|tool| own.iter().all(|one| one.name != tool.name()));
        tools.extend(
            own.iter().map(|tool| Box::new(user_tool_adapter::UserToolAdapter(tool)) as Box<dyn Tool + 'a>),
        );
        Self(tools)
    }

    /// Finds a tool by name, ignoring case and separators.
    pub fn find(&self, name: &str) -> Option<&dyn Tool> {
        let plain = |name: &str| -> String {
            name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let named = self.0.iter().find(|tool| tool.name() == name);
        named.or_else(|| self.0.iter().find(|tool| plain(tool.name()) == plain(name))).map(AsRef::as_ref)
    }

    /// Returns the names of the tools.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|tool| tool.name()).collect()
    }

    /// Returns the tools as an OpenAI-compatible endpoint expects them, with `final_answer` if the style has it.
    pub fn schema(&self, set: Toolset) -> Value {
        let function = |name: &str, description: &str, parameters: Value| {
            json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": parameters },
            })
        };
        let mut all: Vec<Value> =
            self.0.iter().map(|tool| function(tool.name(), tool.description(), tool.parameters())).collect();
        if set == Toolset::React {
            all.push(function(FINAL_ANSWER, "Give the final answer and end.", final_parameters()));
        }
        Value::Array(all)
    }

    /// Lists the tools for a model without native tools, one per line.
    pub fn listed(&self, set: Toolset) -> String {
        let line = |name: &str, description: &str, parameters: &Value| {
            let arguments = parameters.get("properties").and_then(Value::as_object);
            let names: Vec<&str> = arguments.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            format!("- {name}({}): {description}", names.join(", "))
        };
        let mut all: Vec<String> =
            self.0.iter().map(|tool| line(tool.name(), tool.description(), &tool.parameters())).collect();
        if set == Toolset::React {
            all.push(line(FINAL_ANSWER, "Give the final answer and end.", &final_parameters()));
        }
        all.join("\n")
    }
}

fn final_parameters() -> Value {
    json!({
        "type": "object",
        "properties": { "answer": { "type": "string", "description": "The answer to the user's question." } },
        "required": ["answer"],
    })
}
