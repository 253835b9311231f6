//! A closer look at the best keyword hits: BM25 counts words wherever they stand. A chunk where words of the question
//! stand beside each other, as they do in the question, says more; and a document whose whole title the question says
//! is most likely what the question is about.

use super::segment::{Segment, beginning};
use std::rc::Rc;
use vademecum_text::terms::{Analyzer, Language, words};

/// How many of the best are looked at.
const LOOKED_AT: usize = 20;
/// Two words of a text this far apart or closer stand beside each other: stop words may stand between.
const NEAR: usize = 4;
/// How much a pair of neighbouring words counts, compared with the rarity of the more frequent one.
const PAIR_WEIGHT: f32 = 0.25;
/// How much a title that the question says counts, compared with the rarity of its words.
const TITLE_WEIGHT: f32 = 0.5;
/// As in BM25: how soon more of the same adds nothing.
const SATURATION: f32 = 1.2;

/// A word of the question, in the question's order.
#[derive(Debug)]
pub(super) struct Asked {
    /// What it is in each language.
    pub(super) terms: Vec<String>,
    /// How rare it is.
    pub(super) idf: f32,
}

/// Adds to the scores of the first of `found`, and puts them in order again.
pub(super) fn refine(found: &mut [(u32, f32)], asked: &[Asked], segments: &[Rc<Segment>]) {
    if asked.len() < 2 && asked.iter().all(|word| word.terms.is_empty()) {
        return;
    }
    let starts: Vec<[u8; 3]> = asked.iter().flat_map(|word| &word.terms).map(|term| start(term)).collect();
    let mut analyzers: Vec<(Language, Analyzer)> = Vec::new();
    for (key, score) in found.iter_mut().take(LOOKED_AT) {
        let row = segments.iter().find_map(|segment| segment.chunk(segment.row(super::ChunkKey(*key))?));
        let Some(chunk) = row else { continue };
        let language = chunk.document.row.language;
        if !analyzers.iter().any(|one| one.0 == language) {
            analyzers.push((language, Analyzer::new(language)));
        }
        let Some((_, analyzer)) = analyzers.iter().find(|one| one.0 == language) else { continue };
        let look = Look { asked, starts: &starts, analyzer };
        let title = beginning(chunk.document.title().unwrap_or_default());
        *score += look.pairs(title, chunk.text()) + look.title(title);
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

struct Look<'a> {
    asked: &'a [Asked],
    /// How the question's terms begin: a word that begins as none of them needs no stemming to be passed over.
    starts: &'a [[u8; 3]],
    analyzer: &'a Analyzer,
}

impl Look<'_> {
    /// Where the question's words stand in a text: the word's place there, and its place in the question.
    fn places(&self, text: &str) -> Vec<(usize, usize)> {
        let mut places = Vec::new();
        for (at, (_, word)) in words(text).enumerate() {
            // What does not begin with a plain letter may begin otherwise once it is normalised.
            let plain = word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
            if plain && !self.starts.contains(&start(word)) {
                continue;
            }
            self.analyzer.word(word, &mut |term| {
                let which = self.asked.iter().position(|asked| asked.terms.iter().any(|one| one == term));
                places.extend(which.map(|which| (at, which)));
            });
        }
        places
    }

    /// What neighbours in the question add that are neighbours in the title or in the text.
    fn pairs(&self, title: &str, text: &str) -> f32 {
        let mut counts = vec![0u32; self.asked.len()];
        for places in [self.places(title), self.places(text)] {
            for (at, (here, one)) in places.iter().enumerate() {
                let near = places.iter().skip(at + 1).take_while(|(there, _)| there - here <= NEAR);
                for (_, other) in near.filter(|(_, other)| one.abs_diff(*other) == 1) {
                    if let Some(count) = counts.get_mut(*one.min(other)) {
                        *count += 1;
                    }
                }
            }
        }
        let pairs = counts.iter().zip(self.asked).zip(self.asked.iter().skip(1));
        pairs
            .map(|((count, first), second)| {
                let count = *count as f32;
                PAIR_WEIGHT * first.idf.min(second.idf) * count * (SATURATION + 1.0) / (count + SATURATION)
            })
            .sum()
    }

    /// What a title adds whose words the question says in a row.
    fn title(&self, title: &str) -> f32 {
        let mut terms: Vec<String> = Vec::new();
        for (_, word) in words(title) {
            self.analyzer.word(word, &mut |term| terms.push(term.to_owned()));
        }
        let says = |asked: &[Asked]| asked.iter().zip(&terms).all(|(word, term)| word.terms.contains(term));
        let said = !terms.is_empty() && self.asked.windows(terms.len()).any(says);
        if !said {
            return 0.0;
        }
        let of = |term: &String| {
            self.asked.iter().find(|word| word.terms.contains(term)).map_or(0.0, |word| word.idf)
        };
        TITLE_WEIGHT * terms.iter().map(of).sum::<f32>()
    }
}

/// The first three bytes, in lower case.
fn start(word: &str) -> [u8; 3] {
    let mut bytes = word.bytes().map(|byte| byte.to_ascii_lowercase());
    std::array::from_fn(|_| bytes.next().unwrap_or_default())
}
