//! Groups sequences into batches with little padding: sorted by length, filled up to a token budget.

/// Returns the indices of each batch, in order of length. A batch of several sequences has at most `budget`
/// tokens, including padding; a sequence longer than the budget is a batch of its own.
pub fn by_length(lengths: &[usize], budget: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<(usize, usize)> =
        lengths.iter().copied().enumerate().map(|(at, length)| (length, at)).collect();
    order.sort_unstable();
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for (length, at) in order {
        match batches.last_mut() {
            // Lengths ascend, so the new sequence determines the padded length.
            Some(batch) if (batch.len() + 1) * length <= budget => batch.push(at),
            _ => batches.push(vec![at]),
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_sequence_is_in_one_batch_and_no_batch_exceeds_the_budget(
            lengths in prop::collection::vec(1usize..200, 0..60),
            budget in 1usize..600,
        ) {
            let batches = by_length(&lengths, budget);
            let mut seen: Vec<usize> = batches.iter().flatten().copied().collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..lengths.len()).collect::<Vec<_>>());
            for batch in batches {
                let longest = batch.iter().map(|at| lengths[*at]).max().unwrap();
                prop_assert!(batch.len() == 1 || batch.len() * longest <= budget);
            }
        }
    }
}
