//! What is read ahead of questions, and in which order.

use super::postings::POSTING;

/// Number of questions by words that are asked.
const ASKED: usize = 12;
/// Maximum number of terms of such a question.
const TERMS: usize = 5;

/// Lists of postings and centroids that are to be read before a question needs them.
pub(crate) struct Ahead {
    /// The terms whose lists are not read yet, with their document frequencies, the most frequent one last.
    terms: Vec<(String, u32)>,
    /// The first terms whose lists were read, of which questions are made.
    read: Vec<String>,
    /// The bytes of the centroids, until they are read.
    centroids: Option<usize>,
}

/// What one call reads.
pub(super) enum Step {
    /// The list of a term; and a question that is asked then.
    List(String, Option<String>),
    /// What a question by meaning reads, of any vector.
    Meaning,
}

impl Ahead {
    /// Creates the queue. `terms` contains terms with their document frequencies, in ascending order; `centroids` is their size in bytes, `None` without vectors.
    pub(super) fn new(terms: Vec<(String, u32)>, centroids: Option<usize>) -> Self {
        Self { terms, read: Vec::new(), centroids }
    }

    /// Returns the next step that needs at most `room` bytes; `None` if there is none.
    pub(super) fn next(&mut self, room: usize) -> Option<Step> {
        let fits = |(_, count): &(String, u32)| *count as usize * POSTING <= room;
        if let Some((term, _)) = std::iter::from_fn(|| self.terms.pop()).find(fits) {
            let question = (self.read.len() < ASKED).then(|| {
                self.read.push(term.clone());
                self.question()
            });
            return Some(Step::List(term, question));
        }
        self.centroids.take().filter(|bytes| *bytes <= room).map(|_| Step::Meaning)
    }

    /// Returns a question of the terms that were read last, with a phrase.
    fn question(&self) -> String {
        let last: Vec<&str> = self.read.iter().rev().take(TERMS).map(String::as_str).collect();
        let (phrase, others) = last.split_at(last.len() / 2);
        format!("\"{}\" {}", phrase.join(" "), others.join(" "))
    }
}
