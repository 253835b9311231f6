//! How well the words of a question are matched by the tokens of texts, as in late interaction (Khattab and Zaharia, SIGIR 2020): a
//! single vector per text says little about which words of a question it leaves out.

use super::embeddings::Embeddings;
use std::ops::Range;
use vademecum_protocol::error::{Error, Result};

/// Words of a question that texts are compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sought {
    /// The question.
    pub question: String,
    /// The bytes of each word.
    pub words: Vec<Range<usize>>,
}

/// Texts embedded as documents, and compared with the words of a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aligned {
    /// The vectors of the texts.
    pub embeddings: Embeddings,
    /// Per text and word, row-major: the greatest cosine between a token vector of the word and one of the text, as a mean over the
    /// word's tokens, on a scale on which 0 is that of unrelated texts and 1 the largest.
    pub matches: Vec<f32>,
}

impl Aligned {
    /// Returns the matches of each text with the words.
    ///
    /// # Errors
    /// [`Error::VectorShape`] if there are not exactly `words` for each of `texts`, or a value is not finite.
    pub fn rows(&self, texts: usize, words: usize) -> Result<Vec<Vec<f32>>> {
        if self.matches.len() != texts * words || self.matches.iter().any(|value| !value.is_finite()) {
            return Err(Error::VectorShape {
                expected: format!("{words} finite matches for each of {texts} texts"),
                got: format!("{} numbers", self.matches.len()),
            });
        }
        Ok(self.matches.chunks_exact(words.max(1)).map(<[f32]>::to_vec).collect())
    }
}
