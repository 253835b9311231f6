//! Rerankers and readers.

use super::Loaded;
use super::runner::Runner;
use super::source::{Otherwise, Source};
use crate::checks;
use crate::encoded::EncodedPair;
use crate::model_files::ModelFiles;
use crate::output::{SPANS, logits, misses};
use crate::pair_options::{PairOptions, Task};
use crate::pairs::{self, Answer};
use crate::wordpiece::WordPiece;
use vademecum_kernel::forward::Sequence;
use vademecum_kernel::head::{Head, Input};
use vademecum_kernel::simd::Level;
use vademecum_model::Refusal;
use vademecum_model::safetensors::is_safetensors;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;

/// A loaded model of pairs.
#[derive(Debug)]
pub struct KernelPairEncoder {
    tokens: WordPiece,
    runner: Runner,
    head: Head,
    /// Of a reader: which entries of the head's rows are the start and the end.
    spans: Option<[usize; 2]>,
    options: PairOptions,
}

impl KernelPairEncoder {
    /// Loads a model for a task and its tokenizer, given as URL and contents, and checks that they belong together.
    ///
    /// # Errors
    /// `model_corrupt`, `model_unfit` (also where the kernel is requested and cannot run the model),
    /// `tokenizer_invalid`, `tokenizer_mismatch`, and [`Error::InvalidArgument`] for `max_tokens` below 3.
    pub fn load(
        task: Task,
        mut files: ModelFiles,
        (tokenizer_url, tokenizer): (&str, &[u8]),
        options: PairOptions,
        level: Level,
    ) -> Result<Loaded<Box<Self>>> {
        options.check()?;
        let is_onnx = !is_safetensors(&files.model);
        let source = Source::open(&mut files, options.weights);
        if let Some(reason) =
            source.as_ref().ok().filter(|_| is_onnx).and_then(|one| misses(task, &one.outputs()))
        {
            return Err(files.unfit(reason));
        }
        let otherwise =
            Otherwise { files: &files, backend: options.backend, weights: options.weights, is_onnx };
        let read = source.and_then(|source| match task {
            Task::Rerank => {
                let output = logits(&source.outputs()).map(str::to_owned);
                let output = output.ok_or_else(|| Refusal::Other("it has no output `logits`".into()))?;
                let (weights, head) = source.with_head(&output)?;
                Ok((weights, head, None))
            }
            Task::Read => {
                let (weights, head, spans) = source.with_spans(SPANS)?;
                Ok((weights, head, Some(spans)))
            }
        });
        let (weights, head, spans) = match read {
            Ok(read) => read,
            Err(refusal) => return otherwise.reason(refusal).map(Loaded::Other),
        };
        let outputs = head.outputs(weights.width());
        if task == Task::Rerank && outputs > 2 {
            return Err(files.unfit(pairs::classes(outputs)));
        }
        let most = options.max_tokens.min(weights.max_tokens());
        let Some(tokens) = WordPiece::load(tokenizer, tokenizer_url, most)? else {
            return otherwise
                .reason(Refusal::Other("its tokenizer is not WordPiece".into()))
                .map(Loaded::Other);
        };
        checks::vocabulary(tokens.vocabulary(), weights.words.rows)?;
        let runner = Runner::new(weights, level);
        let model = Self { tokens, runner, head, spans, options };
        model.check().and_then(|checked| checked.map_err(|reason| files.corrupt(&reason)))?;
        Ok(Loaded::Kernel(Box::new(model)))
    }

    /// Computes two pairs, unless they have the same tokens, and checks what their token vectors and their logits are.
    fn check(&self) -> Result<Result<(), String>> {
        let [first, second] = checks::TWO_TEXTS.map(|text| self.tokens.encode_pair(text, text).ids);
        if first == second {
            return Ok(Ok(()));
        }
        let width = self.runner.encoder().width();
        let mean = Head { input: Input::Mean, maps: Vec::new() };
        let both = |ids: &[u32]| {
            self.runner.one(ids, |tokens| (mean.run(tokens, width), self.head.run(tokens, width)))
        };
        let ((first, logits), (second, others)) = (both(&first)?, both(&second)?);
        Ok(checks::vectors([&first, &second]).and_then(|()| checks::logits(logits.iter().chain(&others))))
    }

    /// Returns the instructions in use.
    pub const fn level(&self) -> Level {
        self.runner.encoder().level()
    }

    /// Returns the relevance of each passage to the question, from 0 to 1. Cancellation takes effect between two batches.
    ///
    /// # Errors
    /// [`Error::Aborted`], [`Error::EmbedderFailed`].
    pub async fn rate(
        &self,
        question: &str,
        passages: &[String],
        cancel: &Cancel,
        platform: &dyn Platform,
    ) -> Result<Vec<f32>> {
        let rated =
            self.run(question, passages, (cancel, platform), |_, rows| pairs::relevance(&rows)).await?;
        let missing = || Error::EmbedderFailed { reason: "it does not rate passages".into() };
        rated.into_iter().map(|one| one.ok_or_else(missing)).collect()
    }

    /// Returns the most probable answer of each passage, if it has words. Cancellation takes effect between two batches.
    ///
    /// # Errors
    /// [`Error::Aborted`], [`Error::EmbedderFailed`].
    pub async fn read(
        &self,
        question: &str,
        passages: &[String],
        cancel: &Cancel,
        platform: &dyn Platform,
    ) -> Result<Vec<Option<Answer>>> {
        let Some([start, end]) = self.spans else {
            return Err(Error::EmbedderFailed { reason: "it does not find answers".into() });
        };
        let outputs = self.head.outputs(self.runner.encoder().width());
        let answer = |pair: &EncodedPair, rows: Vec<f32>| {
            let entry = |row: &[f32], at: usize| row.get(at).copied().unwrap_or(f32::NEG_INFINITY);
            let logits: Vec<[f32; 2]> =
                rows.chunks_exact(outputs.max(1)).map(|row| [entry(row, start), entry(row, end)]).collect();
            pairs::answer(&logits, pair.start, &pair.words)
        };
        pairs::all_found(self.run(question, passages, (cancel, platform), answer).await?)
    }

    /// Returns the token ids of a pair, for comparing tokenizers.
    pub fn token_ids(&self, question: &str, passage: &str) -> Vec<u32> {
        self.tokens.encode_pair(question, passage).ids
    }

    /// Returns `of` each pair and the rows of its head.
    async fn run<T: Send + Default + Clone>(
        &self,
        question: &str,
        passages: &[String],
        control: (&Cancel, &dyn Platform),
        of: impl Fn(&EncodedPair, Vec<f32>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let encoded: Vec<EncodedPair> =
            passages.iter().map(|passage| self.tokens.encode_pair(question, passage)).collect();
        let sequences: Vec<Sequence<'_>> =
            encoded.iter().map(|pair| Sequence { ids: &pair.ids, second: pair.second }).collect();
        let (head, width) = (&self.head, self.runner.encoder().width());
        let one = |at: usize, tokens: &[f32]| {
            encoded.get(at).map_or_else(T::default, |pair| of(pair, head.run(tokens, width)))
        };
        self.runner.each(&sequences, self.options.batch_tokens, control, one).await
    }
}
