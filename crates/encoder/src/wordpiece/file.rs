//! Reads `tokenizer.json`.

use super::words::Rules;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;

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
    Special { ids: Vec<u32>, segment: u32 },
    /// The first text.
    First { segment: u32 },
    /// The second text.
    Second { segment: u32 },
}

/// The small parts of a file. They are read without a type of their own each, which would take as much code as the rest of
/// this module.
#[derive(Deserialize)]
struct Parts {
    model: Kind,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    #[serde(default)]
    added_tokens: Vec<Value>,
}

/// The kind of a model. Everything else of it differs from kind to kind.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    name: Option<String>,
}

/// The large part, of a file of the kind that is supported.
#[derive(Deserialize)]
struct Vocabulary {
    model: Model,
}

#[derive(Deserialize)]
struct Model {
    vocab: FxHashMap<Box<str>, u32>,
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
}

/// Parses a file; `None` if it is of another kind, or has tokens or templates that are not supported here.
pub(super) fn parse(json: &[u8]) -> Result<Option<File>, String> {
    let failed = |error: serde_json::Error| error.to_string();
    let parts: Parts = serde_json::from_slice(json).map_err(failed)?;
    let is_wordpiece = parts.model.name.as_deref() == Some("WordPiece")
        && kind(&parts.normalizer) == Some("BertNormalizer")
        && kind(&parts.pre_tokenizer) == Some("BertPreTokenizer");
    if !is_wordpiece {
        return Ok(None);
    }
    let Some((single, pair)) = templates(&parts.post_processor)? else { return Ok(None) };
    let mut special: Vec<(Box<str>, u32)> = Vec::new();
    for added in &parts.added_tokens {
        let is_set = |name: &&str| added.get(*name).and_then(Value::as_bool).unwrap_or(false);
        if ["single_word", "lstrip", "rstrip", "normalized"].iter().any(is_set) {
            return Ok(None);
        }
        let content = needed(added, "content", Value::as_str)?;
        if !content.is_empty() {
            special.push((content.into(), small(added, "id")?));
        }
    }
    let Vocabulary { model } = serde_json::from_slice(json).map_err(failed)?;
    Ok(Some(File {
        vocabulary: model.vocab,
        unknown: model.unk_token,
        prefix: model.continuing_subword_prefix,
        max_word: model.max_input_chars_per_word,
        rules: rules(&parts.normalizer)?,
        special,
        single,
        pair,
    }))
}

fn kind(part: &Value) -> Option<&str> {
    part.get("type")?.as_str()
}

/// Returns a value that a part must have.
fn needed<'a, T>(part: &'a Value, name: &str, read: fn(&'a Value) -> Option<T>) -> Result<T, String> {
    part.get(name).and_then(read).ok_or_else(|| format!("its `{name}` is missing, or of another type"))
}

/// Returns a number of 32 bits that a part must have: the id of a token, or of a segment.
fn small(part: &Value, name: &str) -> Result<u32, String> {
    needed(part, name, as_small)
}

fn as_small(value: &Value) -> Option<u32> {
    value.as_u64()?.try_into().ok()
}

fn rules(normalizer: &Value) -> Result<Rules, String> {
    let flag = |name| needed(normalizer, name, Value::as_bool);
    Ok(Rules {
        clean_text: flag("clean_text")?,
        handle_chinese_chars: flag("handle_chinese_chars")?,
        strip_accents: normalizer.get("strip_accents").and_then(Value::as_bool),
        lowercase: flag("lowercase")?,
    })
}

/// The templates of a text and of a pair.
type Templates = (Vec<Part>, Vec<Part>);

/// Returns the templates of a text and of a pair; `None` if segments are not 0 first and then 1, or for a processor of another
/// kind.
fn templates(processor: &Value) -> Result<Option<Templates>, String> {
    let (single, pair) = match kind(processor) {
        None => {
            let single = vec![Part::First { segment: 0 }];
            (single.clone(), [single, vec![Part::Second { segment: 1 }]].concat())
        }
        Some("BertProcessing") => {
            // Each is a pair of a token and its id.
            let special = |name: &str, segment| {
                let id = processor.get(name).and_then(|token| as_small(token.get(1)?));
                let id = id.ok_or_else(|| format!("its post-processor has no `{name}`"))?;
                Ok::<_, String>(Part::Special { ids: vec![id], segment })
            };
            let single = vec![special("cls", 0)?, Part::First { segment: 0 }, special("sep", 0)?];
            (single.clone(), [single, vec![Part::Second { segment: 1 }, special("sep", 1)?]].concat())
        }
        Some("TemplateProcessing") => (template(processor, "single")?, template(processor, "pair")?),
        Some(_) => return Ok(None),
    };
    let segment = |part: &Part| match part {
        Part::Special { segment, .. } | Part::First { segment } | Part::Second { segment } => *segment,
    };
    let is_ordered =
        |parts: &[Part]| parts.is_sorted_by_key(segment) && parts.iter().all(|part| segment(part) < 2);
    let is_supported = is_ordered(&pair) && single.iter().all(|part| segment(part) == 0);
    Ok(is_supported.then_some((single, pair)))
}

/// Returns a template of a `TemplateProcessing`.
fn template(processor: &Value, name: &str) -> Result<Vec<Part>, String> {
    let defined = |id: &str| {
        let ids = processor.get("special_tokens")?.get(id)?.get("ids")?.as_array()?;
        ids.iter().map(as_small).collect::<Option<Vec<u32>>>()
    };
    let mut parts = Vec::new();
    for piece in needed(processor, name, Value::as_array)? {
        let part = if let Some(token) = piece.get("SpecialToken") {
            let id = needed(token, "id", Value::as_str)?;
            let undefined = || format!("its template names the token {id}, which is not defined");
            Part::Special { ids: defined(id).ok_or_else(undefined)?, segment: small(token, "type_id")? }
        } else {
            let text = needed(piece, "Sequence", Some)?;
            let segment = small(text, "type_id")?;
            match needed(text, "id", Value::as_str)? {
                "A" => Part::First { segment },
                "B" => Part::Second { segment },
                other => return Err(format!("its template names the text {other}, and there are A and B")),
            }
        };
        parts.push(part);
    }
    Ok(parts)
}
