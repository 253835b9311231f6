//! Parses the command line; `cargo xtask eval` passes the paths.

use std::path::PathBuf;
use vademecum::engine::Options;
use vademecum::eval::beir::Dataset;

/// Chunk size that keeps every passage whole.
const UNSPLIT: usize = 1 << 20;

/// Paths of the encoder's files.
#[derive(Debug, Default)]
pub(crate) struct EncoderFiles {
    pub(crate) runtime: PathBuf,
    pub(crate) model: PathBuf,
    /// The `config.json` of a model in the form of safetensors.
    pub(crate) config: Option<PathBuf>,
    pub(crate) tokenizer: PathBuf,
    /// `onnxruntime`, or the name of the vector instructions of the kernel; its preferred ones where absent.
    pub(crate) backend: Option<String>,
    /// Whether weights in floats are rounded to int8.
    pub(crate) is_rounded: bool,
}

/// What is measured of libraries in parts.
#[derive(Debug, Default)]
pub(crate) struct PartsOf {
    /// Whether they are measured, instead of ranking methods.
    pub(crate) wanted: bool,
    /// The folder that they are written to.
    pub(crate) folder: PathBuf,
    /// Numbers of passages that the set is enlarged to.
    pub(crate) enlarged: Vec<usize>,
    /// Number of cells. Default: by the number of vectors.
    pub(crate) cells: Option<usize>,
}

/// The parsed command line.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) encoder: EncoderFiles,
    /// The folder of the embedding cache.
    pub(crate) cache: PathBuf,
    /// Reference embeddings that the encoder must reproduce.
    pub(crate) reference: Option<PathBuf>,
    /// The path of the page with the table.
    pub(crate) table: Option<PathBuf>,
    pub(crate) date: String,
    /// The path of the file for comparison with another build of the engine.
    pub(crate) hand_over: Option<PathBuf>,
    pub(crate) options: Options,
    pub(crate) threshold: f32,
    /// Measure the agent's strategies instead of ranking methods.
    pub(crate) agent: bool,
    /// Measure answers by rule, and whether the agent abstains where the documents do not say.
    pub(crate) answers: bool,
    /// Folders with files and questions to them, to measure the answers of the demo page.
    pub(crate) questions: Vec<PathBuf>,
    /// The documents of the page's sample library, which are searched together with the files.
    pub(crate) sample: Option<PathBuf>,
    /// The file that every answer to the questions is written to.
    pub(crate) answers_to: Option<PathBuf>,
    /// Measure the rules by which text becomes terms, which needs no encoder.
    pub(crate) rules: bool,
    /// Time the encoder beside the ONNX runtime, in so many rounds.
    pub(crate) timed: Option<usize>,
    /// Measure libraries in parts.
    pub(crate) parts: PartsOf,
    /// Minimum values of metrics, by column of the table; the program fails below them.
    pub(crate) least: Vec<(String, f64)>,
    limit_queries: Option<usize>,
    without_titles: bool,
}

impl Arguments {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Self::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--beir" => parsed.folders.push(value()?.into()),
                "--runtime" => parsed.encoder.runtime = value()?.into(),
                "--model" => parsed.encoder.model = value()?.into(),
                "--config" => parsed.encoder.config = Some(value()?.into()),
                "--tokenizer" => parsed.encoder.tokenizer = value()?.into(),
                "--backend" => parsed.encoder.backend = Some(value()?),
                "--weights" => match value()?.as_str() {
                    "int8" => parsed.encoder.is_rounded = true,
                    other => return Err(format!("--weights is int8, not `{other}`")),
                },
                "--cache" => parsed.cache = value()?.into(),
                "--reference" => parsed.reference = Some(value()?.into()),
                "--table" => parsed.table = Some(value()?.into()),
                "--date" => parsed.date = value()?,
                "--hand-over" => parsed.hand_over = Some(value()?.into()),
                "--limit-queries" => parsed.limit_queries = Some(number(&word, &value()?)?),
                "--chunk-tokens" => parsed.options.chunk_tokens = number(&word, &value()?)?,
                "--threshold" => parsed.threshold = number(&word, &value()?)?,
                "--least" => {
                    let named = value()?;
                    let (metric, least) =
                        named.split_once('=').ok_or(format!("{word} needs METRIC=NUMBER, not `{named}`"))?;
                    parsed.least.push((metric.to_owned(), number(&word, least)?));
                }
                "--agent" => parsed.agent = true,
                "--answers" => parsed.answers = true,
                "--questions" => parsed.questions.push(value()?.into()),
                "--sample" => parsed.sample = Some(value()?.into()),
                "--answers-to" => parsed.answers_to = Some(value()?.into()),
                "--parts" => {
                    parsed.parts.wanted = true;
                    parsed.parts.folder = value()?.into();
                }
                "--enlarged" => parsed.parts.enlarged.push(number(&word, &value()?)?),
                "--cells" => parsed.parts.cells = Some(number(&word, &value()?)?),
                "--timed" => parsed.timed = Some(number(&word, &value()?)?),
                "--rules" => parsed.rules = true,
                "--whole" => parsed.options.chunk_tokens = UNSPLIT,
                "--without-titles" => parsed.without_titles = true,
                other => return Err(format!("there is no option `{other}`")),
            }
        }
        Ok(parsed)
    }

    /// Returns the maximum number of unanswerable questions of a set.
    pub(crate) fn most_unanswerable(&self) -> usize {
        self.limit_queries.unwrap_or(usize::MAX)
    }

    /// Removes excluded questions and documents.
    pub(crate) fn alter(&self, dataset: &mut Dataset) {
        dataset.queries.truncate(self.limit_queries.unwrap_or(usize::MAX));
        if self.without_titles {
            dataset.documents.iter_mut().for_each(|document| document.title = None);
        }
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{name} needs a number, not `{value}`"))
}
