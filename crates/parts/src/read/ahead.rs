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
    /// The question of these terms that is asked next.
    question: Option<String>,
    /// The bytes of the centroids, until they are read.
    centroids: Option<usize>,
}

/// What one call reads.
pub(super) enum Step {
    /// The list of a term.
    List(String),
    /// What a question by words reads, all of whose lists are read.
    Words(String),
    /// What a question by meaning reads, of any vector.
    Meaning,
}

impl Ahead {
    /// Creates the queue. `terms` contains terms with their document frequencies, in ascending order; `centroids` is their size in bytes, `None` without vectors.
    pub(super) fn new(terms: Vec<(String, u32)>, centroids: Option<usize>) -> Self {
        Self { terms, read: Vec::new(), question: None, centroids }
    }

    /// Returns the next step that needs at most `room` bytes; `None` if there is none.
    pub(super) fn next(&mut self, room: usize) -> Option<Step> {
        if let Some(question) = self.question.take() {
            return Some(Step::Words(question));
        }
        let fits = |(_, count): &(String, u32)| *count as usize * POSTING <= room;
        if let Some((term, _)) = std::iter::from_fn(|| self.terms.pop()).find(fits) {
            if self.read.len() < ASKED {
                self.read.push(term.clone());
                self.question = Some(self.of_last_terms());
            }
            return Some(Step::List(term));
        }
        self.centroids.take().filter(|bytes| *bytes <= room).map(|_| Step::Meaning)
    }

    /// Returns a question of the terms that were read last, with a phrase.
    fn of_last_terms(&self) -> String {
        let last: Vec<&str> = self.read.iter().rev().take(TERMS).map(String::as_str).collect();
        let (phrase, others) = last.split_at(last.len() / 2);
        format!("\"{}\" {}", phrase.join(" "), others.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_fit_are_read_before_the_questions_of_their_terms_and_centroids_last() {
        let terms = vec![("rare".to_owned(), 2000), ("the".to_owned(), 9000), ("huge".to_owned(), 1 << 20)];
        let mut ahead = Ahead::new(terms, Some(400));
        let steps = std::iter::from_fn(|| ahead.next(9000 * POSTING)).map(|step| match step {
            Step::List(term) => term,
            Step::Words(question) => question,
            Step::Meaning => "meaning".to_owned(),
        });
        let steps: Vec<String> = steps.collect();
        assert_eq!(steps, ["the", "\"\" the", "rare", "\"rare\" the", "meaning"]);
        assert!(Ahead::new(Vec::new(), Some(400)).next(399).is_none());
    }
}
