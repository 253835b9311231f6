//! Sentence encoders of the BERT kind, without a runtime: tokenise, run the kernel, pool, normalise.

mod pool;

use crate::encoded::Encoded;
use crate::onnx_options::{Backend, Expected, MAX_TOKENS, OnnxOptions, Pooling};
use crate::output::choose;
use crate::wordpiece::WordPiece;
use crate::{Embeddings, Kind, batch, checks};
use std::cell::RefCell;
use vademecum_kernel::Refusal;
use vademecum_kernel::forward::{Encoder, Scratch, Sequence};
use vademecum_kernel::onnx::Model;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::platform::Platform;

pub use vademecum_kernel::simd::{Activations, Level};

/// A loaded sentence encoder.
#[derive(Debug)]
pub struct KernelEmbedder {
    tokens: WordPiece,
    encoder: Encoder,
    pooling: Pooling,
    options: OnnxOptions,
    /// Memory of each thread.
    scratch: RefCell<Vec<Scratch>>,
}

/// A model that was loaded, or that only a general runtime can run.
#[derive(Debug)]
pub enum Loaded {
    /// The encoder.
    Kernel(Box<KernelEmbedder>),
    /// What the kernel does not have: an operator, a tokenizer or a head.
    Other(String),
}

impl KernelEmbedder {
    /// Loads a model and its tokenizer, and checks that they belong together. `model` and `tokenizer` are URLs
    /// and contents.
    ///
    /// # Errors
    /// [`Error::ModelCorrupt`], [`Error::ModelUnfit`] (also where the kernel is requested and cannot run the model),
    /// [`Error::TokenizerInvalid`], [`Error::TokenizerMismatch`], and [`Error::InvalidArgument`] for `max_tokens` below 3.
    pub fn load(
        (url, model): (&str, Vec<u8>),
        (tokenizer_url, tokenizer): (&str, &[u8]),
        options: OnnxOptions,
        level: Level,
    ) -> Result<Loaded> {
        MAX_TOKENS.check(options.max_tokens)?;
        let backend = options.backend;
        let other = |reason: String| {
            if backend == Backend::Kernel {
                let reason = format!("the kernel does not run it: {reason}");
                return Err(Error::ModelUnfit { url: url.to_owned(), reason });
            }
            Ok(Loaded::Other(reason))
        };
        let refused = |refusal| match refusal {
            Refusal::Corrupt(reason) => {
                Err(Error::ModelCorrupt { url: url.to_owned(), reason: excerpt(&reason, 200) })
            }
            Refusal::Other(reason) => other(reason),
        };
        let model = match Model::parse(model) {
            Ok(model) => model,
            Err(refusal) => return refused(refusal),
        };
        let outputs: Vec<&str> = model.outputs().iter().map(String::as_str).collect();
        let output = match choose(&outputs, &options) {
            Some(output) if output.pooling != Pooling::Model => output,
            _ => return other("it has a head of its own".into()),
        };
        let weights = match model.encoder(&output.name) {
            Ok(weights) => weights,
            Err(refusal) => return refused(refusal),
        };
        drop(model);
        // Texts that are longer than the model's positions allow are cut, and flagged.
        let most = options.max_tokens.min(weights.max_tokens());
        let Some(tokens) = WordPiece::load(tokenizer, tokenizer_url, most)? else {
            return other("its tokenizer is not WordPiece".into());
        };
        checks::vocabulary(tokens.vocabulary(), weights.words.rows)?;
        let encoder = Encoder::new(weights, level);
        let scratch = RefCell::new(threads());
        let embedder = Self { tokens, encoder, pooling: output.pooling, options, scratch };
        if let Some(Expected { text, vector }) = &embedder.options.expected {
            let found = embedder.run(&[vec![embedder.tokens.encode(text)]])?.concat().concat();
            checks::expected(&found, vector, url)?;
        }
        Ok(Loaded::Kernel(Box::new(embedder)))
    }

    /// Returns the pooling in use.
    pub const fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// Returns the instructions in use.
    pub const fn level(&self) -> Level {
        self.encoder.level()
    }

    /// Embeds texts, in order. Cancellation takes effect between two batches.
    ///
    /// # Errors
    /// [`Error::Aborted`], [`Error::EmbedderFailed`].
    pub async fn embed(
        &self,
        texts: &[String],
        kind: Kind,
        cancel: &Cancel,
        platform: &dyn Platform,
    ) -> Result<Embeddings> {
        let prefix = self.options.prefix(kind);
        let encoded: Vec<Encoded> =
            texts.iter().map(|text| self.tokens.encode(&format!("{prefix}{text}"))).collect();
        let lengths: Vec<usize> = encoded.iter().map(|one| one.ids.len()).collect();
        let mut rows: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
        let side_by_side = self.scratch.borrow().len();
        for indices in batch::by_length(&lengths, self.options.batch_tokens).chunks(side_by_side.max(1)) {
            // Without a pause, no message could request cancellation.
            platform.pause().await;
            cancel.check()?;
            let of = |batch: &Vec<usize>| batch.iter().filter_map(|at| encoded.get(*at)).cloned().collect();
            let batches: Vec<Vec<Encoded>> = indices.iter().map(of).collect();
            for (at, vector) in indices.iter().flatten().zip(self.run(&batches)?.into_iter().flatten()) {
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
    pub fn token_ids(&self, text: &str) -> Vec<u32> {
        self.tokens.encode(text).ids
    }

    /// Returns one unit vector per text of each batch. Batches are computed side by side where there are threads.
    fn run(&self, batches: &[Vec<Encoded>]) -> Result<Vec<Vec<Vec<f32>>>> {
        let Self { encoder, pooling, .. } = self;
        let one = |(batch, scratch): (&Vec<Encoded>, &mut Scratch)| {
            let sequences: Vec<Sequence<'_>> = batch.iter().map(|one| Sequence::of(&one.ids)).collect();
            let vectors =
                encoder.forward(&sequences, scratch).map_err(|reason| Error::EmbedderFailed { reason })?;
            Ok(pool::pool(vectors, &sequences, encoder.width(), *pooling))
        };
        let mut scratch = self.scratch.borrow_mut();
        let mut work = batches.iter().zip(scratch.iter_mut());
        if batches.len() < 2 {
            return work.next().map(one).into_iter().collect();
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = work.map(|work| scope.spawn(|| one(work))).collect();
            let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().map_err(|_| Error::EmbedderFailed { reason: "its thread crashed".into() })?
            };
            threads.into_iter().map(ended).collect()
        })
    }
}

/// Returns the memory of as many threads as there are cores; in a browser, which starts workers instead, of one.
fn threads() -> Vec<Scratch> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (0..cores).map(|_| Scratch::default()).collect()
}
