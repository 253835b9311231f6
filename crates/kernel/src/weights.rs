//! The weights of an encoder of the BERT kind, in whatever form a file has them.

use crate::matrix::Matrix;

/// An encoder: embeddings and layers.
#[derive(Debug, Clone)]
pub struct Weights {
    /// Vectors of tokens, a row each.
    pub words: Matrix,
    /// Vectors of positions, a row each.
    pub positions: Matrix,
    /// The row of the first token: 0, or 2 in models of the RoBERTa kind.
    pub first_position: usize,
    /// Vectors of segments, a row each: the first for all tokens of a single text.
    pub segments: Option<Matrix>,
    /// Normalisation of the sum of the three.
    pub embedded: Norm,
    /// Number of attention heads.
    pub heads: usize,
    /// The layers, the first one first.
    pub layers: Vec<Layer>,
}

/// A layer: attention, then two linear maps with a GELU between them; each is added to its input and normalised.
#[derive(Debug, Clone)]
pub struct Layer {
    /// What a token looks for.
    pub query: Linear,
    /// What a token is found by.
    pub key: Linear,
    /// What a token contributes.
    pub value: Linear,
    /// Factor of the products of queries and keys: 1 / √(width of a head), as a rule.
    pub scale: f32,
    /// Maps the contributions back.
    pub output: Linear,
    /// Normalisation after attention.
    pub attended: Norm,
    /// The first of the two linear maps.
    pub inner: Linear,
    /// The second.
    pub outer: Linear,
    /// Normalisation after them.
    pub mapped: Norm,
}

/// A linear map.
#[derive(Debug, Clone)]
pub struct Linear {
    /// The weights, a row per output.
    pub weights: Matrix,
    /// A number per output.
    pub bias: Vec<f32>,
}

/// A layer normalisation.
#[derive(Debug, Clone)]
pub struct Norm {
    /// A factor per value.
    pub weights: Vec<f32>,
    /// A summand per value.
    pub bias: Vec<f32>,
    /// Added to the variance.
    pub epsilon: f32,
}

/// How many layers a model may have.
const MAX_LAYERS: usize = 48;

impl Weights {
    /// Returns the length of a token's vector.
    pub const fn width(&self) -> usize {
        self.words.columns
    }

    /// Returns the largest number of tokens.
    pub const fn max_tokens(&self) -> usize {
        self.positions.rows.saturating_sub(self.first_position)
    }

    /// Rounds tables in full precision to int8, with a scale per entry.
    #[must_use]
    pub fn with_rounded_tables(self) -> Self {
        Self {
            words: self.words.rounded(),
            positions: self.positions.rounded(),
            segments: self.segments.map(Matrix::rounded),
            ..self
        }
    }

    /// Checks that the weights fit each other and are numbers.
    ///
    /// # Errors
    /// What is wrong, in words that follow "its".
    pub fn check(&self) -> Result<(), String> {
        let width = self.width();
        if width == 0 || self.heads == 0 || !width.is_multiple_of(self.heads) {
            return Err(format!(
                "{width} values per token cannot be divided into {} heads: its configuration may be that of another model",
                self.heads
            ));
        }
        if self.layers.is_empty() || self.layers.len() > MAX_LAYERS {
            return Err(format!("number of layers is {}, not 1 to {MAX_LAYERS}", self.layers.len()));
        }
        self.positions.check("positions", self.positions.rows, width)?;
        self.words.check("token embeddings", self.words.rows, width)?;
        if let Some(segments) = &self.segments {
            segments.check("segments", segments.rows, width)?;
        }
        self.embedded.check(width)?;
        for (at, layer) in self.layers.iter().enumerate() {
            let inner = layer.inner.weights.rows;
            let linear = |name: &str, linear: &Linear, rows, columns| {
                linear.check(rows, columns).map_err(|reason| format!("layer {at} ({name}): {reason}"))
            };
            linear("query", &layer.query, width, width)?;
            linear("key", &layer.key, width, width)?;
            linear("value", &layer.value, width, width)?;
            linear("attention's output", &layer.output, width, width)?;
            linear("inner", &layer.inner, inner, width)?;
            linear("outer", &layer.outer, width, inner)?;
            layer.attended.check(width)?;
            layer.mapped.check(width)?;
            if !layer.scale.is_finite() {
                return Err(format!("layer {at} scales attention by {}", layer.scale));
            }
        }
        Ok(())
    }
}

impl Layer {
    /// Rounds weights in full precision to int8, with a scale per output.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self {
            query: self.query.rounded(),
            key: self.key.rounded(),
            value: self.value.rounded(),
            output: self.output.rounded(),
            inner: self.inner.rounded(),
            outer: self.outer.rounded(),
            ..self
        }
    }
}

impl Linear {
    fn rounded(self) -> Self {
        Self { weights: self.weights.rounded(), ..self }
    }

    /// Checks the shape, and that all are numbers.
    ///
    /// # Errors
    /// What is wrong, in words that follow "its".
    pub fn check(&self, rows: usize, columns: usize) -> Result<(), String> {
        self.weights.check("weights", rows, columns)?;
        if self.bias.len() != rows || self.bias.iter().any(|value| !value.is_finite()) {
            return Err(format!("bias is not {rows} finite numbers"));
        }
        Ok(())
    }
}

impl Norm {
    fn check(&self, width: usize) -> Result<(), String> {
        let is_right = |values: &[f32]| values.len() == width && values.iter().all(|value| value.is_finite());
        if is_right(&self.weights) && is_right(&self.bias) && self.epsilon > 0.0 {
            Ok(())
        } else {
            Err(format!("layer normalisation is not {width} finite factors and summands"))
        }
    }
}

impl Matrix {
    fn check(&self, what: &str, rows: usize, columns: usize) -> Result<(), String> {
        if self.rows != rows || self.columns != columns || rows == 0 {
            let Self { rows: found, columns: across, .. } = self;
            return Err(format!("{what} are {found} by {across}, not {rows} by {columns}"));
        }
        if self.is_finite() {
            Ok(())
        } else {
            Err(format!("{what} contain a value that is not a finite number"))
        }
    }
}
