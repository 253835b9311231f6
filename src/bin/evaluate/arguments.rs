//! The command line; `cargo xtask eval` fills in the files.

use std::path::PathBuf;
use vademecum::engine::Options;
use vademecum::eval::beir::Dataset;

/// A passage is one chunk, however long it is.
const WHOLE: usize = 1 << 20;

/// Where the encoder's files are.
#[derive(Debug, Default)]
pub(crate) struct EncoderFiles {
    pub(crate) runtime: PathBuf,
    pub(crate) model: PathBuf,
    pub(crate) tokenizer: PathBuf,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) encoder: EncoderFiles,
    /// The folder of embeddings that are kept.
    pub(crate) cache: PathBuf,
    /// Embeddings the encoder must agree with.
    pub(crate) reference: Option<PathBuf>,
    /// Where the page with the table goes.
    pub(crate) table: Option<PathBuf>,
    pub(crate) date: String,
    /// Where everything goes that another build of the engine needs to do the same.
    pub(crate) hand_over: Option<PathBuf>,
    pub(crate) options: Options,
    pub(crate) threshold: f32,
    /// Measure the agent's ways to answer, not the arms of the index.
    pub(crate) agent: bool,
    /// The least value of a metric, by its column in the table: the program fails where it is not reached.
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
                "--tokenizer" => parsed.encoder.tokenizer = value()?.into(),
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
                "--whole" => parsed.options.chunk_tokens = WHOLE,
                "--without-titles" => parsed.without_titles = true,
                other => return Err(format!("there is no option `{other}`")),
            }
        }
        Ok(parsed)
    }

    /// Takes away what is to be left out.
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
