//! The embedder: a model and its tokenizer.

use super::session::{Encoder, load_runtime};
use super::{Expected, MAX_TOKENS, OnnxOptions, Pooling, TokenBatch, Tokens};
use crate::{Embeddings, Kind, batch, normalised};
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;

/// A loaded sentence encoder.
#[derive(Debug)]
pub struct OnnxEmbedder {
    tokens: Tokens,
    encoder: Encoder,
    options: OnnxOptions,
}

impl OnnxEmbedder {
    /// Loads the runtime and the model, and checks that the tokenizer belongs to it. `runtime` is the URL of
    /// the runtime's folder in a browser, the path of its shared library elsewhere. `model` and `tokenizer`
    /// are URLs and contents.
    ///
    /// # Errors
    /// [`Error::ModelUnavailable`], [`Error::ModelCorrupt`], [`Error::ModelUnfit`],
    /// [`Error::TokenizerInvalid`], [`Error::TokenizerMismatch`], and [`Error::InvalidArgument`] for
    /// `max_tokens` below 3.
    pub async fn load(
        runtime: &str,
        model: (&str, &[u8]),
        tokenizer: (&str, &[u8]),
        options: OnnxOptions,
    ) -> Result<Self> {
        MAX_TOKENS.check(options.max_tokens)?;
        let tokens = Tokens::load(tokenizer.1, tokenizer.0, options.max_tokens)?;
        load_runtime(runtime).await?;
        let encoder = Encoder::load(model.1, model.0, &options).await?;
        check_vocabulary(&encoder, tokens.vocabulary()).await?;
        if let Some(expected) = &options.expected {
            check_expected(&encoder, &tokens, expected, model.0).await?;
        }
        Ok(Self { tokens, encoder, options })
    }

    /// Returns the pooling in use.
    pub const fn pooling(&self) -> Pooling {
        self.encoder.pooling()
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
        let prefix = match kind {
            Kind::Query => &self.options.query_prefix,
            Kind::Document => &self.options.document_prefix,
        };
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
            let batch = TokenBatch::of(&ids);
            let (pooled, dimensions) = self.encoder.run(&batch).await?;
            for (at, vector) in indices.iter().zip(pooled.chunks_exact(dimensions)) {
                if let Some(row) = rows.get_mut(*at) {
                    *row = vector.to_vec();
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
}

/// Minimum cosine between a computed vector and the expected one. The results of int8 models vary slightly
/// between machines.
const MIN_COSINE: f32 = 0.99;

async fn check_expected(encoder: &Encoder, tokens: &Tokens, expected: &Expected, url: &str) -> Result<()> {
    let encoded = tokens.encode(&expected.text)?;
    let (vector, dimensions) = encoder.run(&TokenBatch::of(&[&encoded.ids])).await?;
    let cosine: f32 = vector.iter().zip(normalised(&expected.vector)).map(|(a, b)| a * b).sum();
    if dimensions == expected.vector.len() && cosine >= MIN_COSINE {
        return Ok(());
    }
    let reason = if dimensions == expected.vector.len() {
        format!("its vector of the expected text has a cosine of {cosine:.3} with the expected vector")
    } else {
        format!("its vectors have {dimensions} numbers, and the expected one {}", expected.vector.len())
    };
    Err(Error::ModelUnfit { url: url.to_owned(), reason })
}

/// Models pad their embedding table to a multiple of at most this.
const TABLE_PADDING: usize = 128;

/// Detects a tokenizer of another model, whose ids do not match the embedding table: the last id must have a
/// vector, and an id beyond any padding of the table must not.
async fn check_vocabulary(encoder: &Encoder, vocabulary: usize) -> Result<()> {
    let has = async |id: usize| encoder.run(&TokenBatch::of(&[&[id as u32]])).await;
    if let Err(error) = has(vocabulary.saturating_sub(1)).await {
        return Err(Error::TokenizerMismatch {
            reason: format!("it has {vocabulary} tokens, and the model has no vector for the last ({error})"),
        });
    }
    if has((vocabulary + 1).next_multiple_of(TABLE_PADDING)).await.is_ok() {
        return Err(Error::TokenizerMismatch {
            reason: format!("it has {vocabulary} tokens, and the model has vectors for more"),
        });
    }
    Ok(())
}
