//! Rerankers and readers: a model and its tokenizer.

use super::TokenBatch;
use super::session::{Session, Values, load_runtime};
use super::tokens::PairTokens;
use crate::batch;
use crate::encoded::EncodedPair;
use crate::model_files::ModelFiles;
use crate::onnx_options::check_unrounded;
use crate::output::{SPANS, logits, misses};
use crate::pair_options::{PairOptions, Task};
use crate::pairs::{self, Answer, Found};
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;

/// A loaded model of pairs.
#[derive(Debug)]
pub struct OnnxPairEncoder {
    tokens: PairTokens,
    session: Session,
    /// The output of a reranker.
    logits: String,
    options: PairOptions,
}

impl OnnxPairEncoder {
    /// Loads the runtime and a model for a task, and checks that the tokenizer belongs to it. `runtime` is the URL of the
    /// runtime's folder in a browser, the path of its shared library elsewhere. `tokenizer` is a URL and contents.
    ///
    /// # Errors
    /// [`Error::ModelUnavailable`], `model_corrupt`, `model_unfit`, `tokenizer_invalid`,
    /// `tokenizer_mismatch`, and [`Error::InvalidArgument`] for `max_tokens` below 3 or rounded `weights`.
    pub async fn load(
        task: Task,
        runtime: &str,
        files: &ModelFiles,
        tokenizer: (&str, &[u8]),
        options: PairOptions,
    ) -> Result<Self> {
        options.check()?;
        check_unrounded(options.weights)?;
        let tokens = PairTokens::load(tokenizer.1, tokenizer.0, options.max_tokens)?;
        load_runtime(runtime).await?;
        let session = Session::open(files, 1).await?;
        let outputs: Vec<&str> = session.outputs.iter().map(String::as_str).collect();
        let [start, end] = SPANS;
        let output = match task {
            Task::Rerank => logits(&outputs),
            Task::Read => outputs.contains(&end).then_some(start).filter(|start| outputs.contains(start)),
        };
        if let Some(reason) = misses(task, &outputs) {
            return Err(files.unfit(reason));
        }
        let output = output
            .ok_or_else(|| {
                files.unfit(format!("its outputs are {outputs:?}, and none of them is named `logits`"))
            })?
            .to_owned();
        let probed = session.run(&TokenBatch::of(&[&[0]]), [output.as_str()]).await;
        let [Values { shape, .. }] = probed.map_err(|error| files.corrupt(&error.to_string()))?;
        match (task, shape.as_slice()) {
            (Task::Rerank, [1, 1 | 2] | [1]) | (Task::Read, [1, 1]) => {}
            (Task::Rerank, [1, classes]) => return Err(files.unfit(pairs::classes(*classes as usize))),
            (_, shape) => {
                return Err(
                    files.unfit(format!("its output `{output}` has the shape {shape:?} for one token"))
                );
            }
        }
        session.check_vocabulary(tokens.vocabulary(), &output).await?;
        Ok(Self { tokens, session, logits: output, options })
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
        let mut rated = vec![None; passages.len()];
        for (pairs, batch) in self.batches(question, passages)? {
            platform.pause().await;
            cancel.check()?;
            let [Values { values, .. }] = self.session.run(&batch, [self.logits.as_str()]).await?;
            let rows = values.chunks_exact((values.len() / batch.rows.max(1)).max(1));
            for ((at, _), row) in pairs.iter().zip(rows) {
                if let Some(place) = rated.get_mut(*at) {
                    *place = pairs::relevance(row);
                }
            }
        }
        let missing = || Error::EmbedderFailed { reason: "it did not rate every passage".into() };
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
        let mut answers: Vec<Found> = vec![None; passages.len()];
        for (pairs, batch) in self.batches(question, passages)? {
            platform.pause().await;
            cancel.check()?;
            let [starts, ends] = self.session.run(&batch, SPANS).await?;
            let [starts, ends] = [starts, ends].map(|one| batch.unpadded(&one.values, 1));
            for ((at, pair), (starts, ends)) in pairs.iter().zip(starts.iter().zip(&ends)) {
                let logits: Vec<[f32; 2]> =
                    starts.iter().zip(ends).map(|(start, end)| [*start, *end]).collect();
                if let Some(place) = answers.get_mut(*at) {
                    *place = pairs::answer(&logits, pair.start, &pair.words);
                }
            }
        }
        pairs::all_found(answers)
    }

    /// Returns the pairs of similar length with their indices, and their batches.
    #[expect(clippy::type_complexity, reason = "used in two places of this file")]
    fn batches(
        &self,
        question: &str,
        passages: &[String],
    ) -> Result<Vec<(Vec<(usize, EncodedPair)>, TokenBatch)>> {
        let encoded = passages
            .iter()
            .map(|passage| self.tokens.encode(question, passage))
            .collect::<Result<Vec<_>>>()?;
        let lengths: Vec<usize> = encoded.iter().map(|pair| pair.ids.len()).collect();
        let batch = |indices: Vec<usize>| {
            let pairs: Vec<(usize, EncodedPair)> =
                indices.iter().filter_map(|at| Some((*at, encoded.get(*at)?.clone()))).collect();
            let sequences: Vec<(&[u32], usize)> =
                pairs.iter().map(|(_, pair)| (pair.ids.as_slice(), pair.second)).collect();
            let batch = TokenBatch::of_pairs(&sequences);
            (pairs, batch)
        };
        Ok(batch::by_length(&lengths, self.options.batch_tokens).into_iter().map(batch).collect())
    }
}
