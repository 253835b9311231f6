//! Models that read a question and a passage together: rerankers, and readers that find answers.
//!
//! A pair is `[CLS] question [SEP] passage [SEP]`. A reranker gives it one logit, or one for each of two classes;
//! a reader gives each token the logits of being the start and the end of the answer.

use std::ops::Range;
use vademecum_protocol::error::{Error, Result};

/// An answer within a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The bytes of the passage that it is made of: whole words.
    pub range: Range<usize>,
    /// Probability that the passage has an answer, against none: the logistic function of the difference of their logits.
    pub probability: f32,
}

/// The longest answer in tokens.
const MAX_ANSWER: usize = 30;

/// Returns why a model of several classes does not rate passages.
pub(crate) fn classes(outputs: usize) -> String {
    format!("it has {outputs} classes, and a reranker has 1 or 2")
}

/// Returns the relevance of a passage from the logits of its pair, from 0 to 1: the logistic function of one, or the share
/// of the second of two. None if they are more, or no numbers.
pub(crate) fn relevance(logits: &[f32]) -> Option<f32> {
    let logit = match *logits {
        [logit] => logit,
        [other, relevant] => relevant - other,
        _ => return None,
    };
    (!logit.is_nan()).then(|| logistic(logit))
}

/// The answer in a passage, if it has words; the outer option is empty if the model's logits are no numbers.
pub(crate) type Found = Option<Option<Answer>>;

/// Returns the answers of all passages.
pub(crate) fn all_found(found: Vec<Found>) -> Result<Vec<Option<Answer>>> {
    let reason = || Error::EmbedderFailed { reason: "its logits are no numbers".into() };
    found.into_iter().map(|one| one.ok_or_else(reason)).collect()
}

/// Returns the most probable answer: the start and the end in the passage, at most 30 tokens apart, of the greatest sum of
/// logits. `logits` are the start and the end of each token of the pair, and `words` the bytes of the words that the tokens
/// from `first` on are pieces of. No answer has the logits of the first token.
pub(crate) fn answer(logits: &[[f32; 2]], first: usize, words: &[Range<usize>]) -> Found {
    let has_numbers = logits.iter().flatten().all(|logit| !logit.is_nan());
    has_numbers.then(|| best_span(logits, first, words))
}

fn best_span(logits: &[[f32; 2]], first: usize, words: &[Range<usize>]) -> Option<Answer> {
    let [start_of_none, end_of_none] = *logits.first()?;
    let passage = logits.get(first..first + words.len())?;
    let mut best: Option<(f32, usize, usize)> = None;
    for (start, [from, _]) in passage.iter().enumerate() {
        for (end, [_, to]) in passage.iter().enumerate().skip(start).take(MAX_ANSWER) {
            if best.is_none_or(|(sum, _, _)| from + to > sum) {
                best = Some((from + to, start, end));
            }
        }
    }
    let (sum, start, end) = best?;
    let range = words.get(start)?.start..words.get(end)?.end;
    Some(Answer { range, probability: logistic(sum - start_of_none - end_of_none) })
}

fn logistic(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_is_between_0_and_1_and_grows_with_the_logit() {
        assert_eq!(relevance(&[0.0]), Some(0.5));
        assert!(relevance(&[3.0]).unwrap() > relevance(&[-3.0]).unwrap());
        assert_eq!(relevance(&[1.0, 1.0]), Some(0.5));
        assert!(relevance(&[0.0, 2.0]).unwrap() > 0.85);
        assert_eq!(relevance(&[-1e30]), Some(0.0));
        assert_eq!(relevance(&[1.0, 2.0, 3.0]), None);
        assert_eq!((relevance(&[f32::NAN]), relevance(&[0.0, f32::NAN])), (None, None));
    }

    #[test]
    fn an_answer_is_the_best_span_of_the_passage() {
        // Tokens: [CLS] question [SEP] three words [SEP]; the question has the greatest logits, and is no answer.
        let logits = [[1.0, 1.0], [9.0, 9.0], [0.0, 0.0], [0.0, 3.0], [4.0, 0.0], [0.0, 2.0], [5.0, 5.0]];
        let words = [0..3, 4..9, 10..12];
        let found = answer(&logits, 3, &words).unwrap().unwrap();
        assert_eq!(found.range, 4..12);
        assert!((found.probability - 1.0 / (1.0 + (-4.0f32).exp())).abs() < 1e-6);
        assert_eq!(answer(&logits, 3, &[]), Some(None));
        assert_eq!(answer(&logits, 9, &words), Some(None));
        let mut broken = logits;
        broken[4] = [f32::NAN, 0.0];
        assert_eq!(answer(&broken, 3, &words), None);
        assert!(all_found(vec![Some(None), None]).is_err());
    }

    #[test]
    fn an_answer_is_no_longer_than_thirty_tokens() {
        let mut logits = vec![[0.0, 0.0]; 50];
        logits[2] = [8.0, 0.0];
        logits[45] = [0.0, 8.0];
        let words: Vec<Range<usize>> = (0..49).map(|at| at..at + 1).collect();
        let found = answer(&logits, 1, &words).unwrap().unwrap();
        assert!(found.range.len() <= 30, "{found:?}");
    }
}
