//! Compares a text with the documents that are never sent, by their fingerprints.

use super::never_sent_prints::NeverSentPrint;
use super::searcher::Searcher;
use super::segment::Segment;
use rustc_hash::FxHashSet;
use vademecum_protocol::searcher::{NeverSentChunk, NeverSentText};
use vademecum_text::shingles::{each_words, rolled};

impl Segment {
    /// Passes on the fingerprints of live documents that are never sent.
    fn each_never_sent(&self, mut give: impl FnMut(&NeverSentPrint)) {
        let deleted = self.deleted.chunks();
        let prints = self.documents.never_sent();
        prints.texts().iter().filter(|one| !deleted.contains(one.chunk as usize)).for_each(&mut give);
    }
}

impl Searcher {
    /// Returns what a text holds of the documents that are never sent.
    pub fn never_sent_in(&self, text: &str) -> NeverSentText {
        let mut found = NeverSentText::default();
        if self.segments.iter().all(|segment| segment.documents.never_sent().texts().is_empty()) {
            return found;
        }
        let there = rolled(text);
        let mut summaries = Vec::new();
        for segment in &self.segments {
            segment.each_never_sent(|one| {
                found.any = true;
                let windows = one.print.windows();
                let known = found.windows.len();
                found.windows.extend(windows.iter().filter(|window| there.contains(window)));
                if found.windows.len() == known {
                    return;
                }
                let stands = |sentence: &&[u64]| sentence.iter().all(|window| there.contains(window));
                let sentences: Vec<Vec<u64>> =
                    one.print.sentences().filter(stands).map(<[u64]>::to_vec).collect();
                if let Some(chunk) =
                    segment.documents.chunk(one.chunk, false).filter(|_| !sentences.is_empty())
                {
                    let (id, document) = (chunk.id(), chunk.document);
                    let (doc_id, collection) = (document.id().to_owned(), document.collection().to_owned());
                    let list = if one.is_summary { &mut summaries } else { &mut found.chunks };
                    list.push(NeverSentChunk { id, doc_id, collection, sentences });
                }
            });
        }
        found.chunks.append(&mut summaries);
        found
    }

    /// Returns the texts of the chunks that are never sent of which a text holds a sentence, or all of a chunk that is shorter than
    /// a window.
    pub fn never_sent_texts(&self, text: &str) -> Vec<String> {
        let there = rolled(text);
        let mut words = FxHashSet::default();
        each_words(text, |one| _ = words.insert(one));
        let stands = |sentence: &[u64]| sentence.iter().all(|window| there.contains(window));
        let mut found = Vec::new();
        for segment in &self.segments {
            segment.each_never_sent(|one| {
                let is_there = one.print.sentences().any(stands)
                    || one.print.whole().is_some_and(|short| words.contains(&short));
                if is_there
                    && !one.is_summary
                    && let Some(chunk) = segment.documents.chunk(one.chunk, false)
                {
                    found.push(chunk.text().to_owned());
                }
            });
        }
        found
    }
}
