//! Tools: what a model may call while it looks for evidence. One file a tool, and one list that has them all; those of the
//! caller's are functions with a description.

mod list;
mod lookup;
mod metadata;
mod search;
mod tool;
mod user;
mod user_tool;

pub use tool::{FINAL_ANSWER, LIST, METADATA, Outcome, SUMMARIES, Tool, Use};
pub use user_tool::UserTool;

use serde_json::{Value, json};

/// Which tools a style has.
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
    /// That of a style, by the style's name.
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
    /// Those of a style, and the caller's own.
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
        // The caller's own goes before one of the same name.
        tools.retain(|tool| own.iter().all(|one| one.name != tool.name()));
        tools.extend(own.iter().map(|tool| Box::new(user::Called(tool)) as Box<dyn Tool + 'a>));
        Self(tools)
    }

    /// The tool of a name, however it is cased or joined.
    pub fn find(&self, name: &str) -> Option<&dyn Tool> {
        let plain = |name: &str| -> String {
            name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let named = self.0.iter().find(|tool| tool.name() == name);
        named.or_else(|| self.0.iter().find(|tool| plain(tool.name()) == plain(name))).map(AsRef::as_ref)
    }

    /// Their names.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|tool| tool.name()).collect()
    }

    /// As an OpenAI-compatible endpoint takes them, with `final_answer` where the style has it.
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

    /// As a model reads them that knows no tools: a line each.
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
