//! The embedder: a model and its tokenizer.

use super::session::{Encoder, load_runtime};
use super::{MAX_TOKENS, OnnxOptions, Pooling, TokenBatch, Tokens};
use crate::checks::{self, TABLE_PADDING};
use crate::{Embeddings, Kind, batch};
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
            let encoded = tokens.encode(&expected.text)?;
            let (found, _) = encoder.run(&TokenBatch::of(&[&encoded.ids])).await?;
            checks::expected(&found, &expected.vector, model.0)?;
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
