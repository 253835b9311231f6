//! Sentence encoders.

use super::Loaded;
use super::matching::{Words, unrelated};
use super::runner::Runner;
use super::source::{Otherwise, Source};
use crate::alignment::{Aligned, Sought};
use crate::encoded::{Encoded, Placed};
use crate::finish::{check_dimensions, finished};
use crate::model_files::ModelFiles;
use crate::onnx_options::{Expected, MAX_TOKENS, OnnxOptions, Pooling};
use crate::output::{Output, choose, tokens_alone};
use crate::wordpiece::WordPiece;
use crate::{Embeddings, Kind, checks};
use std::cell::Cell;
use vademecum_kernel::forward::Sequence;
use vademecum_kernel::head::Head;
use vademecum_kernel::simd::Level;
use vademecum_model::Refusal;
use vademecum_model::safetensors::is_safetensors;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::Result;
use vademecum_protocol::platform::Platform;

/// A loaded sentence encoder.
#[derive(Debug)]
pub struct KernelEmbedder {
    tokens: WordPiece,
    runner: Runner,
    /// What makes one vector of a text's token vectors.
    head: Head,
    pooling: Pooling,
    options: OnnxOptions,
    /// The cosine of tokens that are unrelated, once it was measured.
    unrelated: Cell<Option<f32>>,
}

impl KernelEmbedder {
    /// Loads a model and its tokenizer, given as URL and contents, and checks that they belong together.
    ///
    /// # Errors
    /// `model_corrupt`, `model_unfit` (also where the kernel is requested and cannot run the
    /// model, and for more `dimensions` than it has), `tokenizer_invalid`, `tokenizer_mismatch`, and `invalid_argument` for
    /// `max_tokens` below 3 or `dimensions` of 0.
    pub fn load(
        mut files: ModelFiles,
        (tokenizer_url, tokenizer): (&str, &[u8]),
        options: OnnxOptions,
        level: Level,
    ) -> Result<Loaded> {
        MAX_TOKENS.check(options.max_tokens)?;
        let is_onnx = !is_safetensors(&files.model);
        let source = Source::open(&mut files, options.weights);
        let otherwise =
            Otherwise { files: &files, backend: options.backend, weights: options.weights, is_onnx };
        let source = match source {
            Ok(source) => source,
            Err(refusal) => return otherwise.reason(refusal).map(Loaded::Other),
        };
        let outputs = source.outputs();
        // No back end could run it so.
        let Output { name, pooling, .. } =
            choose(&outputs, &options).ok_or_else(|| files.unfit(tokens_alone(&outputs)))?;
        let read = match pooling {
            Pooling::Model => source.with_head(&name).map(|(weights, head)| (weights, Some(head))),
            _ => source.encoder(&name).map(|weights| (weights, None)),
        };
        drop(source); // the file, which is as large as the weights
        let (weights, own) = match read {
            Ok(read) => read,
            Err(refusal) => return otherwise.reason(refusal).map(Loaded::Other),
        };
        let head = match own {
            Some(own) => own,
            None => {
                let head = Head { input: pooling.input(), maps: files.dense()? };
                head.check(weights.width()).map_err(|reason| files.corrupt(&format!("its {reason}")))?;
                head
            }
        };
        check_dimensions(options.dimensions, head.outputs(weights.width()), &files)?;
        // Texts that are longer than the model's positions allow are cut, and flagged.
        let most = options.max_tokens.min(weights.max_tokens());
        let Some(tokens) = WordPiece::load(tokenizer, tokenizer_url, most)? else {
            return otherwise
                .reason(Refusal::Other("its tokenizer is not WordPiece".into()))
                .map(Loaded::Other);
        };
        checks::vocabulary(tokens.vocabulary(), weights.words.rows)?;
        let embedder = Self {
            tokens,
            runner: Runner::new(weights, level),
            head,
            pooling,
            options,
            unrelated: Cell::default(),
        };
        embedder.check().and_then(|checked| checked.map_err(|reason| files.corrupt(&reason)))?;
        if let Some(Expected { text, vector }) = &embedder.options.expected {
            let ids = embedder.tokens.encode(text).ids;
            let found = embedder.runner.one(&ids, embedder.vector())?;
            checks::expected(&found, vector, &files.url)?;
        }
        Ok(Loaded::Kernel(Box::new(embedder)))
    }

    /// Embeds two texts, unless they have the same tokens, and checks their vectors before these are cut.
    fn check(&self) -> Result<Result<(), String>> {
        let [first, second] = checks::TWO_TEXTS.map(|text| self.tokens.encode(text).ids);
        if first == second {
            return Ok(Ok(()));
        }
        let vector = |ids: &[u32]| {
            let width = self.runner.encoder().width();
            self.runner.one(ids, |tokens| self.head.run(tokens, width))
        };
        Ok(checks::vectors([&vector(&first)?, &vector(&second)?]))
    }

    /// Returns the pooling in use.
    pub const fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// Returns the instructions in use.
    pub const fn level(&self) -> Level {
        self.runner.encoder().level()
    }

    /// Embeds texts, in order. Cancellation takes effect between two batches.
    ///
    /// # Errors
    /// `Aborted`, `EmbedderFailed`.
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
        let sequences: Vec<Sequence<'_>> = encoded.iter().map(|one| Sequence::of(&one.ids)).collect();
        let vector = self.vector();
        let vector = |_, tokens: &[f32]| vector(tokens);
        let budget = self.options.batch_tokens;
        let rows = self.runner.each(&sequences, budget, (cancel, platform), vector).await?;
        Ok(Embeddings {
            dimensions: rows.first().map_or(0, Vec::len),
            values: rows.concat(),
            truncated: encoded.iter().map(|one| one.truncated).collect(),
        })
    }

    /// Embeds texts as documents, and compares their tokens with those of a question's words. Cancellation takes effect between two
    /// batches.
    ///
    /// # Errors
    /// `Aborted`, `EmbedderFailed`.
    pub async fn align(
        &self,
        texts: &[String],
        sought: &Sought,
        cancel: &Cancel,
        platform: &dyn Platform,
    ) -> Result<Aligned> {
        let model = (&self.tokens, &self.runner);
        let base = match self.unrelated.get() {
            Some(base) => base,
            None => unrelated(model)?,
        };
        self.unrelated.set(Some(base));
        let words = Words::of(model, self.options.prefix(Kind::Query), sought, base)?;
        let prefix = self.options.prefix(Kind::Document);
        let placed: Vec<Placed> = texts.iter().map(|text| self.tokens.encode_placed(prefix, text)).collect();
        let sequences: Vec<Sequence<'_>> = placed.iter().map(|one| Sequence::of(&one.encoded.ids)).collect();
        let vector = self.vector();
        let both = |at: usize, tokens: &[f32]| {
            (vector(tokens), placed.get(at).map(|text| words.matched_by(text, tokens)).unwrap_or_default())
        };
        let budget = self.options.batch_tokens;
        let rows = self.runner.each(&sequences, budget, (cancel, platform), both).await?;
        let (vectors, matches): (Vec<Vec<f32>>, Vec<Vec<f32>>) = rows.into_iter().unzip();
        let embeddings = Embeddings {
            dimensions: vectors.first().map_or(0, Vec::len),
            values: vectors.concat(),
            truncated: placed.iter().map(|one| one.encoded.truncated).collect(),
        };
        Ok(Aligned { embeddings, matches: matches.concat() })
    }

    /// Returns the token ids of a text, for comparing tokenizers.
    pub fn token_ids(&self, text: &str) -> Vec<u32> {
        self.tokens.encode(text).ids
    }

    /// Returns the function that makes a text's unit vector of its token vectors; 0 without a token.
    fn vector(&self) -> impl Fn(&[f32]) -> Vec<f32> + Sync + use<'_> {
        let (head, width, dimensions) = (&self.head, self.runner.encoder().width(), self.options.dimensions);
        move |tokens| {
            let mut vector = head.run(tokens, width);
            vector.resize(head.outputs(width), 0.0);
            finished(&vector, dimensions)
        }
    }
}
