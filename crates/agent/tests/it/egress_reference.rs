//! The guard over requests judges by what the engine finds of a text as it would if it held all documents that are never sent itself.

use proptest::prelude::*;
use std::collections::HashSet;
use vademecum::agent::context::Turn;
use vademecum::agent::egress::{Seen, held, text_of};
use vademecum::agent::ports::{ChatRequest, Message, NeverSentText, Role, Searcher, Source};
use vademecum::document::{Document, Hit};
use vademecum::engine::{KnowledgeBase, ListRequest};
use vademecum::text::sentence::sentences;
use vademecum::text::shingles::{
    Windows, Words, at_ends, covered, each_words, letters, rolled, unescaped, whole,
};
use vademecum_testing::{add, kb, markdown};

/// Letters and digits of the shortest text that is kept from being sent.
const SHORTEST: usize = 6;

/// The guard over copies of all documents that are never sent.
#[derive(Default)]
struct Reference {
    chunks: Vec<Text>,
    noted: HashSet<([String; 3], String, bool)>,
    open: HashSet<Windows>,
    open_words: HashSet<Words>,
    withheld: HashSet<u64>,
    short: HashSet<Words>,
    said: HashSet<u64>,
    said_words: HashSet<Words>,
}

struct Text {
    source: Option<Source>,
    never: bool,
    sentences: Vec<Windows>,
    short: Option<Words>,
}

fn noted(hit: &Hit) -> ([String; 3], String, bool) {
    (hit.chunk.key().map(str::to_owned), hit.chunk.text.clone(), hit.chunk.never_sent())
}

impl Reference {
    fn add(&mut self, text: Text) {
        if text.never {
            self.withheld.extend(text.sentences.iter().flatten());
            self.short.extend(text.short);
        }
        self.chunks.push(text);
    }

    fn note(&mut self, hit: &Hit, of_library: bool) {
        let (chunk, never) = (&hit.chunk, hit.chunk.never_sent());
        if !self.noted.insert(noted(hit)) {
            return;
        }
        let sentences = covered(&chunk.text);
        if of_library && !never {
            let values = chunk.metadata.values().filter_map(|value| value.as_str());
            let named = chunk.title.iter().chain(&chunk.headings).map(String::as_str);
            for text in std::iter::once(&*chunk.text).chain(named).chain(values) {
                self.open.extend(covered(text));
                self.open.extend(at_ends(text));
                each_words(text, |words| _ = words.1 >= SHORTEST && self.open_words.insert(words));
            }
        }
        let short = sentences.is_empty().then(|| whole(&chunk.text)).flatten();
        self.add(Text { source: Some(Source::of(hit)), never, sentences, short });
    }

    fn all(&mut self, hits: &[Hit]) {
        for hit in hits.iter().filter(|hit| !self.noted.contains(&noted(hit))).collect::<Vec<_>>() {
            let sentences = covered(&hit.chunk.text);
            self.add(Text { source: Some(Source::of(hit)), never: true, sentences, short: None });
        }
    }

    fn said(&mut self, text: &str) -> bool {
        let before = self.said.len() + self.said_words.len();
        self.said.extend(rolled(text).iter().filter(|window| self.withheld.contains(window)));
        for text in [text, &unescaped(text)] {
            each_words(text, |words| _ = self.short.contains(&words) && self.said_words.insert(words));
        }
        self.said.len() + self.said_words.len() > before
    }

    fn look(&self, text: &str) -> (Vec<Source>, bool) {
        let there = rolled(text);
        let mut words = HashSet::new();
        for text in [text, &unescaped(text)] {
            each_words(text, |one| _ = words.insert(one));
        }
        let stands = |sentence: &Windows| sentence.iter().all(|window| there.contains(window));
        let (mut sources, mut never) = (Vec::new(), false);
        for one in &self.chunks {
            let short = one.short.filter(|short| words.contains(short));
            if one.sentences.iter().any(stands) || short.is_some() {
                sources.extend(one.source.clone().filter(|source| !sources.contains(source)));
            }
            let is_told = |sentence: &&Windows| {
                !self.open.contains(*sentence) && !sentence.iter().all(|window| self.said.contains(window))
            };
            let is_secret = |short: Words| {
                short.1 >= SHORTEST && !self.open_words.contains(&short) && !self.said_words.contains(&short)
            };
            never |= one.never
                && (one.sentences.iter().filter(is_told).any(stands) || short.is_some_and(is_secret));
        }
        (sources, never)
    }
}

fn held_of(hits: &[Hit], text: &str) -> Vec<String> {
    let there = rolled(text);
    let mut words = HashSet::new();
    each_words(text, |one| _ = words.insert(one));
    let is_there = |text: &str| {
        covered(text).iter().any(|sentence| sentence.iter().all(|window| there.contains(window)))
            || whole(text).is_some_and(|short| words.contains(&short))
    };
    let mut held = Vec::new();
    for text in hits.iter().map(|hit| &hit.chunk.text).filter(|text| is_there(text)) {
        let ranges = sentences(text);
        let with_next = ranges.iter().zip(ranges.iter().skip(1).chain(ranges.last()));
        let pieces = with_next.map(|(one, next)| &text[one.start..next.end]);
        held.extend(pieces.filter(|piece| is_there(piece)).map(str::to_owned));
    }
    held
}

/// All chunks of a library, and those of documents that are never sent with the summaries behind them.
fn hits_of(kb: &KnowledgeBase) -> (Vec<Hit>, Vec<Hit>, Vec<Hit>) {
    let mut hits = Vec::new();
    for one in kb.documents(&ListRequest { limit: usize::MAX, ..ListRequest::default() }).unwrap().documents {
        let chunks = kb.document(&one.collection, &one.id).unwrap().chunks;
        hits.extend(chunks.into_iter().map(|chunk| Hit { chunk, score: 0.0, explain: None }));
    }
    let never: Vec<Hit> = hits.iter().filter(|hit| hit.chunk.never_sent()).cloned().collect();
    let mut seen = HashSet::new();
    let firsts = never.iter().filter(|hit| seen.insert(hit.chunk.doc_id.clone()));
    let summaries: Vec<Hit> = firsts
        .filter_map(|hit| {
            let mut own = hit.clone();
            own.chunk.text = hit.chunk.summary()?.to_owned();
            Some(own)
        })
        .collect();
    let all = never.iter().cloned().chain(summaries).collect();
    (hits, never, all)
}

/// What happens in a run, one after another.
#[derive(Debug, Clone)]
enum Event {
    /// A search of the sendable view finds some chunks.
    Found(usize),
    /// A searcher of the caller's returns texts of its own, marked or not.
    Given(bool, String),
    /// A model writes a text.
    Said(String),
    /// A request is to be sent.
    Asked(String),
}

/// Sentences that documents, requests and replies share.
const SENTENCES: [&str; 12] = [
    "The safe opens with the birthday of the founder.",
    "Its door is grey.",
    "Pin 4711.",
    "Ask Ann.",
    "The canteen opens at eight in the morning, and it closes at two.",
    "Either party may end this contract in writing.",
    "30 days",
    "# A heading\n\n",
    "The merger costs forty\nmillion dollars in cash, they say.",
    "Çà et là, l'été: déjà vu! Où ça?",
    "C:\\temp\\new holds \"quotes\" and a\ttab of the founders",
    "犬が走る。猫が寝る。鳥が飛ぶ。魚が泳ぐ。馬が跳ねる。牛が鳴く。",
];

fn text() -> impl Strategy<Value = String> {
    let whole = prop::sample::select(&SENTENCES[..]).prop_map(str::to_owned);
    let cut =
        (prop::sample::select(&SENTENCES[..]), 0usize..60, any::<bool>()).prop_map(|(text, at, first)| {
            let letters: Vec<char> = text.chars().collect();
            let at = at.min(letters.len());
            String::from_iter(if first { &letters[..at] } else { &letters[at..] })
        });
    let other = "\\PC{0,30}";
    let piece = prop_oneof![6 => whole, 3 => cut, 1 => other];
    (prop::collection::vec(piece, 1..6), 0usize..6).prop_map(|(pieces, form)| match form {
        0 => pieces.join("\n"),
        1 => pieces.join(" ").to_uppercase(),
        2 => serde_json::to_string(&pieces).unwrap(),
        3 => pieces.concat(),
        _ => pieces.join(" "),
    })
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => (0usize..40).prop_map(Event::Found),
        1 => (any::<bool>(), text()).prop_map(|(never, text)| Event::Given(never, text)),
        2 => text().prop_map(Event::Said),
        4 => text().prop_map(Event::Asked),
    ]
}

proptest! {
    #[test]
    fn what_the_engine_finds_is_judged_as_copies_of_the_documents_would_be(
        documents in prop::collection::vec((text(), prop::option::weighted(0.3, text()), any::<bool>()), 1..6),
        earlier in prop::option::of(text()),
        guessed in prop::collection::vec(text(), 0..2),
        events in prop::collection::vec(event(), 1..9),
    ) {
        let kb = kb(None);
        for (at, (text, summary, never)) in documents.into_iter().enumerate() {
            let mut document = Document { summary, ..markdown(&format!("{at}.md"), &text) };
            document.summary = document.summary.filter(|text| !text.trim().is_empty());
            document.metadata.insert("neverSend".into(), never.into());
            // One without a letter is refused.
            _ = add(&kb, vec![document]);
        }
        let (hits, never, with_summaries) = hits_of(&kb);
        let open: Vec<Hit> = hits.iter().filter(|hit| !hit.chunk.never_sent()).cloned().collect();

        let (seen, mut reference) = (Seen::default(), Reference::default());
        let turn = Turn { answer: earlier.clone().unwrap_or_default(), withheld: true, ..Turn::default() };
        seen.conversation(&[turn]);
        let of_answer = earlier.as_deref().unwrap_or_default().split(['[', ']']).flat_map(covered).collect();
        reference.add(Text { source: None, never: true, sentences: of_answer, short: None });
        let mut asked = false;
        // Across the modules, it is JSON text.
        let ask = |text: &str| -> NeverSentText {
            let json = serde_json::to_string(&kb.never_sent_in(text).unwrap()).unwrap();
            serde_json::from_str(&json).unwrap()
        };
        for event in events {
            if !asked && matches!(event, Event::Said(_) | Event::Asked(_)) {
                asked = true;
                reference.all(&with_summaries);
                for text in &guessed {
                    prop_assert_eq!(seen.said(text, &ask(text)), reference.said(text));
                }
                seen.begin_library();
            }
            match event {
                Event::Found(at) => {
                    let some = &open[at.min(open.len())..];
                    seen.found(some);
                    some.iter().for_each(|hit| reference.note(hit, true));
                }
                Event::Given(never, text) => {
                    let mut hit = vademecum::document::whole_document("mine", &text);
                    if never {
                        hit.chunk.keep_on_device();
                    }
                    let mut given = [hit];
                    seen.given(&mut given);
                    reference.note(&given[0], false);
                }
                Event::Said(text) => prop_assert_eq!(seen.said(&text, &ask(&text)), reference.said(&text)),
                Event::Asked(text) => {
                    let request = ChatRequest::text(None, vec![Message::new(Role::User, &*text)], false);
                    let text = text_of(&request).unwrap();
                    let standing = seen.within(&text, &ask(&text));
                    prop_assert_eq!((standing.sources, standing.never), reference.look(&text));
                    prop_assert_eq!(held(&kb.never_sent_in(&text).unwrap().texts, &text), held_of(&never, &text));
                }
            }
        }
    }
}

#[test]
fn a_chunk_shorter_than_a_window_is_compared_by_its_words_where_a_request_is_held_back() {
    let kb = kb(None);
    let mut document = markdown("pin.md", "Pin: 4711.");
    document.metadata.insert("neverSend".into(), true.into());
    add(&kb, vec![document]).unwrap();
    assert!(letters("Pin: 4711.").count() < 24);
    assert_eq!(kb.never_sent_in("the pin 4711 opens it").unwrap().texts, ["Pin: 4711."]);
    assert!(kb.never_sent_in("the spin 4711").unwrap().texts.is_empty());
    assert!(kb.never_sent_in("").unwrap().any);
}
