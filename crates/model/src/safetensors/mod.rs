//! Reads the weights of an encoder from a `.safetensors` file and its `config.json`, by the names that BERT's
//! published models give them.

mod file;

use crate::{Refusal, Result};
use file::{File, parts};
use serde::Deserialize;
use vademecum_kernel::head::{Activation, Dense, Head, Input};
use vademecum_kernel::matrix::{Matrix, Numbers};
use vademecum_kernel::weights::{Layer, Linear, Norm, Weights};

/// What the names of an encoder's weights end in, of which the one without a prefix is looked for.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// A model file and its configuration.
#[derive(Debug)]
pub struct Model {
    file: Vec<u8>,
    config: Config,
    /// The beginning of the names of the encoder's weights.
    prefix: String,
    /// Whether weights are rounded to int8.
    is_rounded: bool,
}

/// The parts of a `config.json` that the weights do not show, and those that they must agree with.
#[derive(Debug, Clone, Deserialize)]
struct Config {
    model_type: String,
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    hidden_size: usize,
    intermediate_size: Option<usize>,
    vocab_size: Option<usize>,
    max_position_embeddings: Option<usize>,
    layer_norm_eps: f32,
}

impl Config {
    /// Checks that the weights have the sizes that are given here.
    fn check(&self, weights: &Weights) -> Result<()> {
        let inner = weights.layers.first().map_or(0, |layer| layer.inner.weights.rows);
        for (what, own, found) in [
            ("hidden_size", Some(self.hidden_size), weights.words.columns),
            ("vocab_size", self.vocab_size, weights.words.rows),
            ("max_position_embeddings", self.max_position_embeddings, weights.positions.rows),
            ("intermediate_size", self.intermediate_size, inner),
        ] {
            if let Some(own) = own.filter(|own| *own != found) {
                let reason = format!("its `config.json` has the {what} {own}, and its weights have {found}");
                return Err(Refusal::Corrupt(reason));
            }
        }
        Ok(())
    }
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// Returns whether a file has the form of `.safetensors`: the length of a JSON header, and the header.
pub fn is_safetensors(file: &[u8]) -> bool {
    parts(file).is_some()
}

impl Model {
    /// Parses a file and the contents of its `config.json`.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`] for files that are damaged, [`Refusal::Other`] for a model of another architecture.
    pub fn parse(file: Vec<u8>, config: &[u8]) -> Result<Self> {
        let config: Config = serde_json::from_slice(config).map_err(|error| {
            Refusal::Other(format!("its config.json is not that of a BERT model: {error}"))
        })?;
        let Config { model_type, hidden_act, position_embedding_type, .. } = &config;
        for (what, found, expected) in [
            ("model_type", model_type, "bert"),
            ("hidden_act", hidden_act, "gelu"),
            ("position_embedding_type", position_embedding_type, "absolute"),
        ] {
            if found != expected {
                return Err(Refusal::Other(format!("its `{what}` is `{found}`, not `{expected}`")));
            }
        }
        let prefix = {
            let tensors = File::parse(&file)?;
            let words = tensors.names().find_map(|name| name.strip_suffix(WORDS));
            words.map(str::to_owned)
        };
        let prefix = prefix.ok_or_else(|| Refusal::Other(format!("it has no weights `{WORDS}`")))?;
        Ok(Self { file, config, prefix, is_rounded: false })
    }

    /// Rounds the encoder's weights to int8 as they are read, as [`crate::onnx::Model::rounded`] does.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self { is_rounded: true, ..self }
    }

    /// Reads the encoder.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`] for weights that are missing, or contradict each other or the configuration.
    pub fn encoder(&self) -> Result<Weights> {
        let tensors = Tensors { file: File::parse(&self.file)?, prefix: &self.prefix };
        let Config { num_attention_heads, num_hidden_layers, hidden_size, layer_norm_eps, .. } = self.config;
        let layer = |at: usize| -> Result<Layer> {
            let linear = |name: &str| tensors.linear(&format!("{}encoder.layer.{at}.{name}", self.prefix));
            let norm = |name: &str| tensors.norm(&format!("encoder.layer.{at}.{name}"), layer_norm_eps);
            let head = hidden_size / num_attention_heads.max(1);
            let layer = Layer {
                query: linear("attention.self.query")?,
                key: linear("attention.self.key")?,
                value: linear("attention.self.value")?,
                scale: (head as f32).sqrt().recip(),
                output: linear("attention.output.dense")?,
                attended: norm("attention.output.LayerNorm")?,
                inner: linear("intermediate.dense")?,
                outer: linear("output.dense")?,
                mapped: norm("output.LayerNorm")?,
            };
            Ok(if self.is_rounded { layer.rounded() } else { layer })
        };
        if tensors.has(&format!("encoder.layer.{num_hidden_layers}.output.dense.weight")) {
            let reason = format!("it has more layers than the {num_hidden_layers} of its config.json");
            return Err(Refusal::Corrupt(reason));
        }
        let words = tensors.matrix(&format!("{}{WORDS}", self.prefix))?;
        let table = |name: &str| tensors.matrix(&format!("{}embeddings.{name}.weight", self.prefix));
        let has_segments = tensors.has("embeddings.token_type_embeddings.weight");
        let weights = Weights {
            words,
            positions: table("position_embeddings")?,
            first_position: 0,
            segments: has_segments.then(|| table("token_type_embeddings")).transpose()?,
            embedded: tensors.norm("embeddings.LayerNorm", layer_norm_eps)?,
            heads: num_attention_heads,
            layers: (0..num_hidden_layers).map(layer).collect::<Result<_>>()?,
        };
        self.config.check(&weights)?;
        let weights = if self.is_rounded { weights.with_rounded_tables() } else { weights };
        weights.check().map_err(contradicted)?;
        Ok(weights)
    }

    /// Reads the encoder and the head that classifies the whole sequence: the pooler and the classifier.
    ///
    /// # Errors
    /// Those of [`Model::encoder`]; [`Refusal::Other`] where there is no such head.
    pub fn with_head(&self) -> Result<(Weights, Head)> {
        let tensors = Tensors { file: File::parse(&self.file)?, prefix: &self.prefix };
        let classifier = tensors.head("classifier")?;
        let pooler = tensors.linear(&format!("{}pooler.dense", self.prefix))?;
        let maps = vec![Dense::new(&pooler, Activation::Tanh), Dense::new(&classifier, Activation::Identity)];
        self.checked(Head { input: Input::FirstToken, maps })
    }

    /// Reads the encoder and the head that gives each token the logits of the start and of the end of an answer,
    /// and which entries of the head's rows they are.
    ///
    /// # Errors
    /// Those of [`Model::with_head`].
    pub fn with_spans(&self) -> Result<(Weights, Head, [usize; 2])> {
        let tensors = Tensors { file: File::parse(&self.file)?, prefix: &self.prefix };
        let map = Dense::new(&tensors.head("qa_outputs")?, Activation::Identity);
        if map.outputs() != 2 {
            return Err(Refusal::Corrupt(format!("its head has {} outputs per token, not 2", map.outputs())));
        }
        let (weights, head) = self.checked(Head { input: Input::EachToken, maps: vec![map] })?;
        Ok((weights, head, [0, 1]))
    }

    fn checked(&self, head: Head) -> Result<(Weights, Head)> {
        let weights = self.encoder()?;
        head.check(weights.width()).map_err(contradicted)?;
        Ok((weights, head))
    }
}

/// Reads a linear map that follows the pooling, from the file `model.safetensors` of a module `Dense`.
///
/// # Errors
/// [`Refusal::Corrupt`] for a file that is damaged or has no such map.
pub fn dense(file: &[u8], activation: Activation) -> Result<Dense> {
    let tensors = Tensors { file: File::parse(file)?, prefix: "" };
    let weights = tensors.matrix("linear.weight")?;
    let bias = match tensors.file.has("linear.bias") {
        true => tensors.numbers("linear.bias")?.1,
        false => vec![0.0; weights.rows],
    };
    let linear = Linear { weights, bias };
    linear.check(linear.weights.rows, linear.weights.columns).map_err(contradicted)?;
    Ok(Dense::new(&linear, activation))
}

/// The tensors of a file.
struct Tensors<'a> {
    file: File<'a>,
    prefix: &'a str,
}

impl Tensors<'_> {
    /// Returns whether the encoder has weights of this name.
    fn has(&self, name: &str) -> bool {
        self.file.has(&format!("{}{name}", self.prefix))
    }

    /// Returns the shape and the numbers of a tensor.
    fn numbers(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>)> {
        self.file.numbers(name)
    }

    fn matrix(&self, name: &str) -> Result<Matrix> {
        let (shape, values) = self.numbers(name)?;
        let [rows, columns] = *shape.as_slice() else {
            return Err(Refusal::Corrupt(format!("its weights `{name}` have the shape {shape:?}")));
        };
        Ok(Matrix { rows, columns, numbers: Numbers::F32(values) })
    }

    fn linear(&self, name: &str) -> Result<Linear> {
        Ok(Linear {
            weights: self.matrix(&format!("{name}.weight"))?,
            bias: self.numbers(&format!("{name}.bias"))?.1,
        })
    }

    /// Returns the last map of a head. A model without it was trained for something else.
    fn head(&self, name: &str) -> Result<Linear> {
        match self.file.has(&format!("{name}.weight")) {
            true => self.linear(name),
            false => Err(Refusal::Other(format!("it has no weights `{name}.weight`"))),
        }
    }

    /// Returns a normalisation, whose parts have other names in older files.
    fn norm(&self, name: &str, epsilon: f32) -> Result<Norm> {
        let [factor, summand] =
            if self.has(&format!("{name}.gamma")) { ["gamma", "beta"] } else { ["weight", "bias"] };
        let part = |part: &str| self.numbers(&format!("{}{name}.{part}", self.prefix));
        Ok(Norm { weights: part(factor)?.1, bias: part(summand)?.1, epsilon })
    }
}

fn contradicted(reason: String) -> Refusal {
    Refusal::Corrupt(format!("its {reason}"))
}
