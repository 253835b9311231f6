//! Reads `tokenizer.json`.

use super::words::Rules;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// What a WordPiece tokenizer is made of.
pub(super) struct File {
    pub(super) vocabulary: FxHashMap<Box<str>, u32>,
    pub(super) unknown: String,
    pub(super) prefix: String,
    pub(super) max_word: usize,
    pub(super) rules: Rules,
    pub(super) special: Vec<(Box<str>, u32)>,
    pub(super) single: Vec<Part>,
    pub(super) pair: Vec<Part>,
}

/// A part of the sequence that a model takes.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Special tokens.
    Special { ids: Vec<u32>, segment: u8 },
    /// The first text.
    First { segment: u8 },
    /// The second text.
    Second { segment: u8 },
}

/// The names of a file's parts. Everything else of them differs from kind to kind.
#[derive(Deserialize)]
struct Kinds {
    model: Kind,
    normalizer: Option<Kind>,
    pre_tokenizer: Option<Kind>,
    post_processor: Option<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    name: Option<String>,
}

#[derive(Deserialize)]
struct Parts {
    model: Model,
    normalizer: Rules,
    #[serde(default)]
    added_tokens: Vec<Added>,
    post_processor: Option<Template>,
}

#[derive(Deserialize)]
struct Model {
    vocab: FxHashMap<Box<str>, u32>,
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: Box<str>,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    normalized: bool,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Template {
    TemplateProcessing { single: Vec<Piece>, pair: Vec<Piece>, special_tokens: BTreeMap<String, Special> },
    BertProcessing { sep: (IgnoredAny, u32), cls: (IgnoredAny, u32) },
}

#[derive(Deserialize)]
enum Piece {
    SpecialToken { id: String, type_id: u8 },
    Sequence { id: Sequence, type_id: u8 },
}

#[derive(Deserialize)]
enum Sequence {
    A,
    B,
}

#[derive(Deserialize)]
struct Special {
    ids: Vec<u32>,
}

/// Parses a file; `None` if it is of another kind, or has tokens or templates that are not supported here.
pub(super) fn parse(json: &[u8]) -> Result<Option<File>, String> {
    let kinds: Kinds = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let name = |kind: Option<Kind>| kind.and_then(|kind| kind.name);
    let processor = name(kinds.post_processor);
    let is_wordpiece = name(Some(kinds.model)).as_deref() == Some("WordPiece")
        && name(kinds.normalizer).as_deref() == Some("BertNormalizer")
        && name(kinds.pre_tokenizer).as_deref() == Some("BertPreTokenizer")
        && matches!(processor.as_deref(), None | Some("TemplateProcessing" | "BertProcessing"));
    if !is_wordpiece {
        return Ok(None);
    }
    let Parts { model, normalizer, added_tokens, post_processor } =
        serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let is_plain = |added: &Added| !(added.single_word || added.lstrip || added.rstrip || added.normalized);
    let Some((single, pair)) = templates(post_processor)? else { return Ok(None) };
    if !added_tokens.iter().all(is_plain) {
        return Ok(None);
    }
    let special = added_tokens.into_iter().filter(|added| !added.content.is_empty());
    Ok(Some(File {
        vocabulary: model.vocab,
        unknown: model.unk_token,
        prefix: model.continuing_subword_prefix,
        max_word: model.max_input_chars_per_word,
        rules: normalizer,
        special: special.map(|added| (added.content, added.id)).collect(),
        single,
        pair,
    }))
}

/// The templates of a text and of a pair.
type Templates = (Vec<Part>, Vec<Part>);

/// Returns the templates of a text and of a pair; `None` if segments are not 0 first and then 1.
fn templates(template: Option<Template>) -> Result<Option<Templates>, String> {
    let (single, pair) = match template {
        None => {
            let single = vec![Part::First { segment: 0 }];
            (single.clone(), [single, vec![Part::Second { segment: 1 }]].concat())
        }
        Some(Template::BertProcessing { sep, cls }) => {
            let special = |id, segment| Part::Special { ids: vec![id], segment };
            let single = vec![special(cls.1, 0), Part::First { segment: 0 }, special(sep.1, 0)];
            (single.clone(), [single, vec![Part::Second { segment: 1 }, special(sep.1, 1)]].concat())
        }
        Some(Template::TemplateProcessing { single, pair, special_tokens }) => {
            let part = |piece: Piece| match piece {
                Piece::SpecialToken { id, type_id } => special_tokens
                    .get(&id)
                    .map(|special| Part::Special { ids: special.ids.clone(), segment: type_id })
                    .ok_or_else(|| format!("its template names the token {id}, which is not defined")),
                Piece::Sequence { id: Sequence::A, type_id } => Ok(Part::First { segment: type_id }),
                Piece::Sequence { id: Sequence::B, type_id } => Ok(Part::Second { segment: type_id }),
            };
            let parts = |pieces: Vec<Piece>| pieces.into_iter().map(part).collect::<Result<Vec<_>, _>>();
            (parts(single)?, parts(pair)?)
        }
    };
    let segment = |part: &Part| match part {
        Part::Special { segment, .. } | Part::First { segment } | Part::Second { segment } => *segment,
    };
    let is_ordered =
        |parts: &[Part]| parts.is_sorted_by_key(segment) && parts.iter().all(|part| segment(part) < 2);
    let is_supported = is_ordered(&pair) && single.iter().all(|part| segment(part) == 0);
    Ok(is_supported.then_some((single, pair)))
}
