//! Small models of the BERT kind with random weights, in the forms that exporters write: nothing of them is trained, so
//! that only what computes them can be compared.

mod graph;
mod onnx;
pub mod reference;
mod safetensors;
mod weights;

pub use onnx::onnx;
pub use safetensors::{config, dense, safetensors};
pub use weights::{Shape, linear, weights};

use serde_json::json;
use vademecum_kernel::weights::Linear;

/// Number of tokens of [`tokenizer`].
pub const VOCABULARY: usize = 60;

/// Number of positions of a model.
pub const POSITIONS: usize = 160;

/// What follows the layers of a model.
#[derive(Debug, Clone)]
pub enum Output {
    /// Nothing: the output `last_hidden_state`.
    Tokens,
    /// The mean over the mask, a linear map with a tangent, and the unit length: the output `sentence_embedding`.
    Sentence(Linear),
    /// A pooler of the first token, and a classifier: the output `logits`.
    Logits { pooler: Linear, classifier: Linear },
    /// A linear map of each token: the outputs `start_logits` and `end_logits`.
    Spans(Linear),
}

impl Output {
    /// A head of a model whose token vectors have `width` values, with `classes` logits.
    pub fn logits(width: usize, classes: usize) -> Self {
        Self::Logits { pooler: linear(width, width, 71), classifier: linear(classes, width, 72) }
    }

    /// A head that finds answers.
    pub fn spans(width: usize) -> Self {
        Self::Spans(linear(2, width, 73))
    }
}

/// A WordPiece tokenizer of letters and a few words.
pub fn tokenizer() -> String {
    let letters = || ('a'..='z').map(String::from);
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(str::to_owned);
    let words = ["the", "sea", "moon"].map(str::to_owned);
    let pieces = special.into_iter().chain(letters()).chain(letters().map(|letter| format!("##{letter}")));
    let vocabulary: serde_json::Map<String, serde_json::Value> =
        pieces.chain(words).enumerate().map(|(id, piece)| (piece, json!(id))).collect();
    assert_eq!(vocabulary.len(), VOCABULARY);
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": { "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2] },
        "decoder": null,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    })
    .to_string()
}
