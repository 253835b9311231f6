//! The embedder over a loaded model and its tokenizer.

use super::session::{Encoder, load_runtime};
use super::{OnnxOptions, TokenBatch, Tokens, mean_pool};
use crate::cancel::Cancel;
use crate::embed::{Embeddings, Kind, batch};
use crate::error::{Error, Result};
use crate::platform::Platform;

/// A sentence encoder ready to run.
#[derive(Debug)]
pub struct OnnxEmbedder {
    tokens: Tokens,
    encoder: Encoder,
    options: OnnxOptions,
}

impl OnnxEmbedder {
    /// Loads the runtime, then the model, and checks that the tokenizer belongs to it. `runtime` is the address of
    /// the runtime's folder in a browser, and the path of its shared library elsewhere.
    ///
    /// # Errors
    /// [`Error::ModelUnavailable`], [`Error::ModelCorrupt`], [`Error::TokenizerInvalid`],
    /// [`Error::TokenizerMismatch`].
    pub async fn load(
        runtime: &str,
        model: (&str, &[u8]),
        tokenizer: (&str, &[u8]),
        options: OnnxOptions,
    ) -> Result<Self> {
        if options.max_tokens < 3 {
            return Err(Error::invalid("maxTokens", "at least 3", options.max_tokens.to_string()));
        }
        let tokens = Tokens::load(tokenizer.1, tokenizer.0, options.max_tokens)?;
        load_runtime(runtime).await?;
        let encoder = Encoder::load(model.1, model.0).await?;
        check_output(&encoder, model.0).await?;
        check_vocabulary(&encoder, tokens.vocabulary()).await?;
        Ok(Self { tokens, encoder, options })
    }

    /// Embeds every text, in order; cancellation takes effect between two batches.
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
            // The runtime never yields by itself: without a turn, no message could ask to cancel.
            platform.pause().await;
            cancel.check()?;
            let ids: Vec<&[u32]> =
                indices.iter().filter_map(|at| encoded.get(*at)).map(|one| one.ids.as_slice()).collect();
            let batch = TokenBatch::of(&ids);
            let (hidden, dimensions) = self.encoder.run(&batch).await?;
            let pooled = mean_pool(&hidden, &batch, dimensions);
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

    /// The ids one text is embedded by, for comparing tokenizers.
    ///
    /// # Errors
    /// [`Error::EmbedderFailed`].
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>> {
        Ok(self.tokens.encode(text)?.ids)
    }
}

/// Every tokenizer has an id 0: a model that cannot take it, or gives something else than token vectors, is at fault
/// itself.
async fn check_output(encoder: &Encoder, url: &str) -> Result<()> {
    match encoder.run(&TokenBatch::of(&[&[0]])).await {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::ModelCorrupt { url: url.to_owned(), reason: error.to_string() }),
    }
}

/// Models round their table of word vectors up to such a multiple at most.
const TABLE_PADDING: usize = 128;

/// A tokenizer of another model gives ids the model has no vector for, or leaves vectors without an id. The model
/// is asked for the last id, which must be there, and for one behind any padding of its table, which must not.
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
