//! How a question relates to passages, to other texts and to the library as a whole: the evidence by which the agent decides
//! whether a question can be answered.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A question, and the texts whose relevance to it is wanted; without any, only a [`Calibration`] is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RelevanceRequest {
    /// The question.
    pub question: String,
    /// Collection, document id and chunk id of passages of the library.
    pub passages: Vec<(String, String, String)>,
    /// Other texts, such as sentences.
    pub texts: Vec<String>,
    /// The bytes of words of the question that the texts are compared with.
    #[serde(default)]
    pub words: Vec<Range<usize>>,
}

/// How often terms occur in a library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frequencies {
    /// Number of chunks that contain each term.
    pub terms: Vec<usize>,
    /// Number of chunks.
    pub chunks: usize,
}

/// How a question relates to texts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Relevance {
    /// Cosine of each passage with the question; `None` without a vector.
    pub passages: Vec<Option<f32>>,
    /// Cosine of each text with the question; empty without an encoder that is ready.
    pub texts: Vec<f32>,
    /// Per text: how well its tokens match each word, 0 as unrelated texts do and at most 1; empty without an encoder whose tokens
    /// have vectors.
    #[serde(default)]
    pub matches: Vec<Vec<f32>>,
    /// Cosines to expect in this library; `None` without an encoder that is ready, and in a library that is too small.
    pub calibration: Option<Calibration>,
}

/// Mean and standard deviation of cosines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// The mean.
    pub mean: f32,
    /// The standard deviation.
    pub deviation: f32,
}

impl Spread {
    /// Returns the spread of values; zero without values.
    pub fn of(values: &[f32]) -> Self {
        let count = values.len().max(1) as f32;
        let mean = values.iter().sum::<f32>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        Self { mean, deviation: variance.sqrt() }
    }
}

/// Cosines that an embedder gives in a library, measured by short spans of some passages that are used as questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Calibration {
    /// Number of spans.
    pub spans: usize,
    /// Cosines of a span with passages of other documents.
    pub unrelated: Spread,
    /// Cosine of a span with the nearest passage of another document.
    pub nearest: Spread,
    /// Cosine of a span with its own passage.
    pub own: Spread,
    /// Minimum cosine of vector hits for runs that set none: two standard deviations above unrelated passages, but never so high
    /// that passages would not be found by their own spans.
    pub threshold: f32,
}

impl Calibration {
    /// Returns the calibration with these cosines.
    pub fn of(unrelated: &[f32], nearest: &[f32], own: &[f32]) -> Self {
        let (unrelated, nearest, spans) = (Spread::of(unrelated), Spread::of(nearest), own.len());
        let own = Spread::of(own);
        let threshold = (unrelated.mean + 2.0 * unrelated.deviation).min(own.mean - 2.0 * own.deviation);
        Self { spans, unrelated, nearest, own, threshold }
    }
}
