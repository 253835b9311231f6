//! Sentence encoders: a model and its tokenizer.

use super::session::{Session, Values, load_runtime};
use super::{MAX_TOKENS, OnnxOptions, Pooling, TokenBatch, Tokens};
use crate::finish::{check_dimensions, finished};
use crate::model_files::ModelFiles;
use crate::onnx_options::check_unrounded;
use crate::output::{Output, choose, tokens_alone};
use crate::{Embeddings, Kind, batch, checks};
use vademecum_kernel::head::Head;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;

/// A loaded sentence encoder.
#[derive(Debug)]
pub struct OnnxEmbedder {
    tokens: Tokens,
    session: Session,
    /// Name of the output.
    output: String,
    pooling: Pooling,
    /// What makes one vector of a text's token vectors; not of a model that returns one itself.
    head: Head,
    options: OnnxOptions,
}

impl OnnxEmbedder {
    /// Loads the runtime and the model, and checks that the tokenizer belongs to it. `runtime` is the URL of
    /// the runtime's folder in a browser, the path of its shared library elsewhere. `tokenizer` is a URL and
    /// contents.
    ///
    /// # Errors
    /// [`Error::ModelUnavailable`], `model_corrupt`, `model_unfit` (also for more `dimensions` than the
    /// model has), `tokenizer_invalid`, `tokenizer_mismatch`, and [`Error::InvalidArgument`] for
    /// `max_tokens` below 3, `dimensions` of 0 or rounded `weights`.
    pub async fn load(
        runtime: &str,
        files: &ModelFiles,
        tokenizer: (&str, &[u8]),
        options: OnnxOptions,
    ) -> Result<Self> {
        MAX_TOKENS.check(options.max_tokens)?;
        check_unrounded(options.weights)?;
        let tokens = Tokens::load(tokenizer.1, tokenizer.0, options.max_tokens)?;
        load_runtime(runtime).await?;
        let session = Session::open(files, options.runtime_threads).await?;
        let outputs: Vec<&str> = session.outputs.iter().map(String::as_str).collect();
        let output = choose(&outputs, &options).ok_or_else(|| files.unfit(tokens_alone(&outputs)))?;
        let (pooling, width) = probe(&session, &output, files).await?;
        session.check_vocabulary(tokens.vocabulary(), &output.name).await?;
        let maps = if pooling == Pooling::Model { Vec::new() } else { files.dense()? };
        let head = Head { input: pooling.input(), maps };
        head.check(width).map_err(|reason| files.corrupt(&format!("its {reason}")))?;
        check_dimensions(options.dimensions, head.outputs(width), files)?;
        let embedder = Self { tokens, session, output: output.name, pooling, head, options };
        if let Some(expected) = &embedder.options.expected {
            let encoded = embedder.tokens.encode(&expected.text)?;
            let found = embedder.run(&TokenBatch::of(&[&encoded.ids])).await?.concat();
            checks::expected(&found, &expected.vector, &files.url)?;
        }
        Ok(embedder)
    }

    /// Returns the pooling in use.
    pub const fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// Embeds texts, in order. Cancellation takes effect between two batches.
    ///
    /// # Errors
    /// [`Error::Aborted`], [`Error::EmbedderFailed`], [`Error::VectorShape`].
    pub async fn embed(
        &self,
        texts: &[String],
        kind: Kind,
        cancel: &Cancel,
        platform: &dyn Platform,
    ) -> Result<Embeddings> {
        let prefix = self.options.prefix(kind);
        let encoded = texts
            .iter()
            .map(|text| self.tokens.encode(&format!("{prefix}{text}")))
            .collect::<Result<Vec<_>>>()?;
        let lengths: Vec<usize> = encoded.iter().map(|one| one.ids.len()).collect();
        let mut rows: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
        for indices in batch::by_length(&lengths, self.options.batch_tokens) {
            // The runtime never yields: without a pause, no message could request cancellation.
            platform.pause().await;
            cancel.check()?;
            let ids: Vec<&[u32]> =
                indices.iter().filter_map(|at| encoded.get(*at)).map(|one| one.ids.as_slice()).collect();
            for (at, vector) in indices.iter().zip(self.run(&TokenBatch::of(&ids)).await?) {
                if let Some(row) = rows.get_mut(*at) {
                    *row = vector;
                }
            }
        }
        Ok(Embeddings {
            dimensions: rows.first().map_or(0, Vec::len),
            values: rows.concat(),
            truncated: encoded.iter().map(|one| one.truncated).collect(),
        })
    }

    /// Returns the token ids of a text, for comparing tokenizers.
    ///
    /// # Errors
    /// [`Error::EmbedderFailed`].
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>> {
        Ok(self.tokens.encode(text)?.ids)
    }

    /// Returns one unit vector per text of a batch.
    async fn run(&self, batch: &TokenBatch) -> Result<Vec<Vec<f32>>> {
        let [Values { values, shape }] = self.session.run(batch, [self.output.as_str()]).await?;
        let (rows, columns) = (batch.rows as i64, batch.columns as i64);
        let dimensions = self.options.dimensions;
        match (self.pooling, shape.as_slice()) {
            (Pooling::Model, [first, n]) if *first == rows && *n > 0 => {
                Ok(values.chunks_exact(*n as usize).map(|row| finished(row, dimensions)).collect())
            }
            (Pooling::Mean | Pooling::Cls | Pooling::LastToken, [first, second, n])
                if *first == rows && *second == columns && *n > 0 =>
            {
                let width = *n as usize;
                let vector = |tokens: Vec<f32>| {
                    let mut vector = self.head.run(&tokens, width);
                    vector.resize(self.head.outputs(width), 0.0); // of a text without a token
                    finished(&vector, dimensions)
                };
                Ok(batch.unpadded(&values, width).into_iter().map(vector).collect())
            }
            (_, other) => Err(Error::VectorShape {
                expected: format!("vectors for {rows} texts of {columns} tokens"),
                got: format!("the shape {other:?}"),
            }),
        }
    }
}

/// Runs a model once to learn the rank of its output: returns the pooling, and the length of a vector. Every tokenizer has
/// an id 0, so a failure is the model's fault.
async fn probe(session: &Session, output: &Output, files: &ModelFiles) -> Result<(Pooling, usize)> {
    let Output { name, pooling, may_be_pooled } = output;
    let probed = session.run(&TokenBatch::of(&[&[0]]), [name.as_str()]).await;
    let [Values { shape, .. }] = probed.map_err(|error| files.corrupt(&error.to_string()))?;
    match (pooling, shape.as_slice()) {
        (Pooling::Model, [1, n]) if *n > 0 => Ok((Pooling::Model, *n as usize)),
        (Pooling::Model, [1, 1, n]) if *n > 0 => {
            Err(files.unfit(format!("its output `{name}` holds token vectors, not one vector per text")))
        }
        (pooling, [1, 1, n]) if *n > 0 => Ok((*pooling, *n as usize)),
        (_, [1, n]) if *n > 0 && *may_be_pooled => Ok((Pooling::Model, *n as usize)),
        (pooling, [1, n]) if *n > 0 => {
            let pooling = pooling.name();
            Err(files.unfit(format!(
                "its output `{name}` holds one vector per text and cannot be pooled (`{pooling}`)"
            )))
        }
        (_, other) => {
            Err(files.corrupt(&format!("its output `{name}` has the shape {other:?} for one token")))
        }
    }
}
