//! An encoder with memory for as many threads as compute it.

use crate::batch;
use std::cell::RefCell;
use vademecum_kernel::forward::{Encoder, Scratch, Sequence};
use vademecum_kernel::simd::Level;
use vademecum_kernel::weights::Weights;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;

#[derive(Debug)]
pub(super) struct Runner {
    encoder: Encoder,
    /// Memory of each thread.
    scratch: RefCell<Vec<Scratch>>,
}

impl Runner {
    pub(super) fn new(weights: Weights, level: Level) -> Self {
        Self { encoder: Encoder::new(weights, level), scratch: RefCell::new(threads()) }
    }

    pub(super) const fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// Returns `of` the index and the token vectors of each sequence, in their order. They are computed in batches of
    /// similar length with at most `budget` tokens; cancellation takes effect between two.
    pub(super) async fn each<T: Send + Default + Clone>(
        &self,
        sequences: &[Sequence<'_>],
        budget: usize,
        (cancel, platform): (&Cancel, &dyn Platform),
        of: impl Fn(usize, &[f32]) -> T + Sync,
    ) -> Result<Vec<T>> {
        let lengths: Vec<usize> = sequences.iter().map(|sequence| sequence.ids.len()).collect();
        let mut results = vec![T::default(); sequences.len()];
        let side_by_side = self.scratch.borrow().len().max(1);
        for batches in batch::by_length(&lengths, budget).chunks(side_by_side) {
            // Without a pause, no message could request cancellation.
            platform.pause().await;
            cancel.check()?;
            let computed = self.batches(batches, sequences, &of)?;
            for (at, result) in batches.iter().flatten().zip(computed.into_iter().flatten()) {
                if let Some(place) = results.get_mut(*at) {
                    *place = result;
                }
            }
        }
        Ok(results)
    }

    /// Returns `of` the token vectors of one sequence.
    pub(super) fn one<T>(&self, ids: &[u32], of: impl FnOnce(&[f32]) -> T) -> Result<T> {
        let mut scratch = Scratch::default();
        self.encoder.forward(&[Sequence::of(ids)], &mut scratch).map(of).map_err(failed)
    }

    /// Computes batches side by side where there are threads.
    fn batches<T: Send>(
        &self,
        batches: &[Vec<usize>],
        sequences: &[Sequence<'_>],
        of: &(impl Fn(usize, &[f32]) -> T + Sync),
    ) -> Result<Vec<Vec<T>>> {
        let encoder = &self.encoder;
        let one = |(batch, scratch): (&Vec<usize>, &mut Scratch)| {
            let own: Vec<Sequence<'_>> = batch.iter().filter_map(|at| sequences.get(*at)).copied().collect();
            let mut vectors = encoder.forward(&own, scratch).map_err(failed)?;
            let result = |(at, sequence): (&usize, &Sequence<'_>)| {
                let (tokens, rest) = vectors.split_at(sequence.ids.len() * encoder.width());
                vectors = rest;
                of(*at, tokens)
            };
            Ok(batch.iter().zip(&own).map(result).collect())
        };
        let mut scratch = self.scratch.borrow_mut();
        let mut work = batches.iter().zip(scratch.iter_mut());
        if batches.len() < 2 {
            return work.next().map(one).into_iter().collect();
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = work.map(|work| scope.spawn(|| one(work))).collect();
            let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().map_err(|_| failed("its thread crashed".into()))?
            };
            threads.into_iter().map(ended).collect()
        })
    }
}

fn failed(reason: String) -> Error {
    Error::EmbedderFailed { reason }
}

/// Returns the memory of as many threads as there are cores; in a browser, which starts workers instead, of one.
fn threads() -> Vec<Scratch> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (0..cores).map(|_| Scratch::default()).collect()
}
