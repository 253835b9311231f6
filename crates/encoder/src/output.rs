//! The output of a model that vectors are taken from.

use crate::onnx_options::{OnnxOptions, Pooling};
use crate::pair_options::Task;

/// An output of a model and how it is pooled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Name of the output.
    pub name: String,
    /// Pooling of the output.
    pub pooling: Pooling,
    /// Whether its rank may change the pooling: it is the only output, and no pooling was requested.
    pub may_be_pooled: bool,
}

/// Selects an output by its name and the options; `None` if a head is requested and all outputs are token vectors.
pub fn choose(outputs: &[&str], options: &OnnxOptions) -> Option<Output> {
    let named = |names: &[&'static str]| names.iter().copied().find(|name| outputs.contains(name));
    let head = named(&["sentence_embedding"]);
    let tokens = named(&["last_hidden_state", "token_embeddings"]);
    let (name, pooling) = match (options.pooling, head) {
        (None, Some(head)) => (Some(head), Pooling::Model),
        // BERT's pooler is trained for another task, so it is used on request only.
        (Some(Pooling::Model), _) => {
            let other = outputs.iter().copied().find(|name| Some(*name) != tokens);
            (head.or(named(&["pooler_output"])).or(other), Pooling::Model)
        }
        (wanted, _) => {
            (tokens.or(outputs.first().copied()), wanted.or(options.published).unwrap_or(Pooling::Mean))
        }
    };
    let may_be_pooled = options.pooling.is_none() && tokens.is_none() && outputs.len() == 1;
    Some(Output { name: name?.to_owned(), pooling, may_be_pooled })
}

/// Returns why a model with these outputs has no vector of its own.
pub(crate) fn tokens_alone(outputs: &[&str]) -> String {
    format!(
        "its outputs {outputs:?} hold token vectors alone, and `pooling` asks for a vector of the model's own"
    )
}

/// The outputs of a model that finds answers: the logits of their start and of their end.
pub(crate) const SPANS: [&str; 2] = ["start_logits", "end_logits"];

/// Returns the reason why a model with these outputs cannot do a task of pairs on any back end; `None` if it may.
pub(crate) fn misses(task: Task, outputs: &[&str]) -> Option<String> {
    let has = |name: &&str| outputs.contains(name);
    let listed = || outputs.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match task {
        Task::Read if SPANS.iter().all(has) => None,
        Task::Read => {
            Some(format!("its outputs are {}, and a reader has `start_logits` and `end_logits`", listed()))
        }
        Task::Rerank if !has(&"logits") && TEXT_VECTORS.iter().any(has) => Some(format!(
            "it is a sentence encoder, with the outputs {}, and a reranker has `logits`",
            listed()
        )),
        Task::Rerank => None,
    }
}

/// Outputs that sentence encoders have.
const TEXT_VECTORS: [&str; 3] = ["sentence_embedding", "last_hidden_state", "token_embeddings"];

/// Returns the output of a model that rates pairs.
pub(crate) fn logits<'a>(outputs: &[&'a str]) -> Option<&'a str> {
    let named = outputs.iter().copied().find(|name| *name == "logits");
    named.or(if let [only] = outputs { Some(only) } else { None })
}
