//! Compares a text with the documents that are never sent, by their fingerprints.

use super::never_sent_prints::NeverSentPrint;
use super::searcher::Searcher;
use super::segment::Segment;
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
        // Hashes of words: two runs of different length with one hash are as unlikely as two of one length.
        let mut words = Vec::new();
        each_words(text, |(hash, _)| words.push(hash));
        words.sort_unstable();
        let mut summaries = Vec::new();
        for segment in &self.segments {
            segment.each_never_sent(|one| {
                found.any = true;
                let windows = one.print.windows();
                found.windows.extend(windows.iter().filter(|window| there.contains(window)));
                let stands = |sentence: &&[u64]| sentence.iter().all(|window| there.contains(window));
                let sentences: Vec<Vec<u64>> =
                    one.print.sentences().filter(stands).map(<[u64]>::to_vec).collect();
                let is_short_and_there =
                    || one.print.whole().is_some_and(|(hash, _)| words.binary_search(&hash).is_ok());
                if sentences.is_empty() && !is_short_and_there() {
                    return;
                }
                let Some(chunk) = segment.documents.chunk(one.chunk, false) else { return };
                if !one.is_summary {
                    found.texts.push(chunk.text().to_owned());
                }
                if !sentences.is_empty() {
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
}
