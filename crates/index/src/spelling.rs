//! Corrects misspelt words of a query by the words of the library.
//!
//! The dictionary contains stems, so a correction takes two steps: terms that resemble the word or its beginning
//! are candidates, and the words of a few chunks that contain them are compared with the whole word.

use super::searcher::Searcher;
use super::segment::{Segment, fields};
use vademecum_text::terms::{self, Analyzer, Language, edits, is_unspaced, plain, slip, typo_limit, words};
use vademecum_util::small_sort::sort_by;
use vademecum_util::within::Within;

/// Maximum number of words corrected per query: each is compared with the whole dictionary.
const MAX_CORRECTED: usize = 16;
/// Maximum number of terms whose words are compared with a misspelt word.
const MAX_CANDIDATES: usize = 16;
/// Maximum number of chunks per term and segment that are read for its words.
const MAX_CHUNKS: usize = 12;
/// Maximum number of letters that a stemmer may have removed from a word.
const MAX_ENDING: usize = 4;

impl Searcher {
    /// Returns `query` with each word that no document contains replaced by the word of the documents that was most probably meant
    /// ([`slip`]), or by a stop word of their languages; `None` if nothing is replaced. Quoted words, numbers and words of fewer
    /// than four letters are kept, stop words of any language, and words that `is_word` recognises. With `prefix`, a word at the
    /// very end may also be the beginning of one.
    pub fn did_you_mean(&self, query: &str, prefix: bool, is_word: &dyn Fn(&str) -> bool) -> Option<String> {
        let analyzers: Vec<Analyzer> = self.languages().into_iter().map(Analyzer::new).collect();
        let phrases = terms::Query::parse(query, analyzers.first()?, false).phrases;
        let mut corrected = String::new();
        let mut corrections = 0;
        let mut from = 0;
        for (start, word) in words(query) {
            let end = start + word.len();
            let typed = plain(word);
            let is_quoted = phrases.iter().flatten().any(|quoted| *quoted == typed);
            if corrections == MAX_CORRECTED || is_quoted || is_word(word) {
                continue;
            }
            if let Some(meant) = self.correction(word, &typed, prefix && end == query.len(), &analyzers) {
                corrected.push_str(query.within(from..start));
                corrected.push_str(&meant);
                (from, corrections) = (end, corrections + 1);
            }
        }
        corrected.push_str(query.within(from..));
        (corrections > 0).then_some(corrected)
    }

    /// Returns the word that was most probably meant by a word that no document contains.
    fn correction(
        &self,
        word: &str,
        typed: &str,
        unfinished: bool,
        analyzers: &[Analyzer],
    ) -> Option<String> {
        let limit = typo_limit(typed);
        let mut forms: Vec<String> = Vec::new();
        for analyzer in analyzers {
            let before = forms.len();
            analyzer.word(word, &mut |term| forms.push(term.to_owned()));
            if forms.len() == before {
                return None; // a stop word
            }
        }
        let is_known = |term: &str| self.chunks_with(term) > 0;
        if limit == 0
            || Language::has_any_stop_word(typed)
            || !typed.chars().all(|letter| letter.is_alphabetic() && !is_unspaced(letter))
            || forms.iter().any(|term| is_known(term))
        {
            return None;
        }
        // The stem of a misspelt word may be longer than that of the word meant.
        let ends = typed.char_indices().map(|(at, _)| at).rev().take(MAX_ENDING);
        let beginnings = ends.map(|end| typed.within(..end).to_owned()).filter(|one| typo_limit(one) > 0);
        forms.push(typed.to_owned());
        forms.extend(beginnings);
        let forms: Vec<Form> = forms.into_iter().map(Form::of).collect();
        // By distance, then by the form that the term resembles, then by frequency.
        let mut near: Vec<(u64, String)> = Vec::new();
        let mut completes = false;
        for segment in &self.segments {
            segment.words.each_term(&mut |term| {
                completes = completes || (unfinished && term.starts_with(typed) && is_known(term));
                let (length, letters) = (term.chars().count(), letter_set(term));
                let mut least = usize::MAX;
                for (at, form) in forms.iter().enumerate() {
                    if form.may_be(length, letters, limit)
                        && let Some(distance) = edits(&form.text, term, limit)
                    {
                        least = least.min(distance * forms.len() + at);
                    }
                }
                if least < usize::MAX {
                    near.extend(rank(least, self.chunks_with(term)).map(|rank| (rank, term.to_owned())));
                }
            });
        }
        if completes {
            return None;
        }
        sort_by(&mut near, Ord::cmp);
        near.dedup();
        let mut best = (u64::MAX, String::new());
        let mut compare = |candidate: &str, count: usize| {
            let other = plain(candidate);
            let Some(cost) = slip(typed, &other) else { return };
            let Some(rank) = rank(cost as usize, count) else { return };
            if rank < best.0 || (rank == best.0 && candidate < best.1.as_str()) {
                best = (rank, candidate.to_owned());
            }
        };
        for analyzer in analyzers {
            analyzer.language().stop_words().iter().for_each(|word| compare(word, u32::MAX as usize));
        }
        let whole = Form::of(typed.to_owned());
        let may_be = |word: &str| {
            // Accents are folded later.
            !word.is_ascii() || whole.may_be(word.len(), letter_set(word), limit)
        };
        for (_, term) in near.iter().take(MAX_CANDIDATES) {
            let count = self.chunks_with(term);
            for segment in &self.segments {
                each_word(segment, term, &may_be, &mut |word| compare(word, count));
            }
        }
        let (_, meant) = best;
        let meant = if word.starts_with(char::is_lowercase) { meant.to_lowercase() } else { meant };
        Some(meant).filter(|meant| !meant.is_empty())
    }
}

/// A form of a misspelt word, with what rules out most words before their distance is computed.
struct Form {
    text: String,
    length: usize,
    letters: u32,
}

impl Form {
    fn of(text: String) -> Self {
        Self { length: text.chars().count(), letters: letter_set(&text), text }
    }

    /// Returns whether a word with this length and these letters may be within `limit` edits: each edit changes the length
    /// by one at most, and the set of letters by two.
    fn may_be(&self, length: usize, letters: u32, limit: usize) -> bool {
        self.length.abs_diff(length) <= limit && (self.letters ^ letters).count_ones() as usize <= 2 * limit
    }
}

/// Returns a bit per letter of a word; letters may share a bit, as capital and small letters of ASCII do.
fn letter_set(word: &str) -> u32 {
    word.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) % 32))
}

/// Returns a number by which candidates are sorted: by class, then by falling frequency; `None` for what does not occur.
fn rank(class: usize, count: usize) -> Option<u64> {
    (count > 0).then(|| ((class as u64) << 32) + u64::from(u32::MAX - count as u32))
}

/// Calls `each` with the words of a few live chunks that are indexed as `term`, among those that `may_be` admits.
fn each_word(segment: &Segment, term: &str, may_be: &dyn Fn(&str) -> bool, each: &mut dyn FnMut(&str)) {
    let is_live = |row: &u32| !segment.deleted.chunks().contains(*row as usize);
    for row in segment.words.chunks_with(term).into_iter().filter(is_live).take(MAX_CHUNKS) {
        let Some(chunk) = segment.chunk(row) else { continue };
        let analyzer = Analyzer::new(chunk.document.language());
        let words = fields(&chunk).flat_map(|(field, _)| words(field));
        for (_, word) in words.filter(|(_, word)| may_be(word)) {
            let mut is_meant = false;
            analyzer.word(word, &mut |one| is_meant = is_meant || one == term);
            if is_meant {
                each(word);
            }
        }
    }
}
