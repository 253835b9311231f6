//! What a run has seen of the documents: which chunks stand in a request, and whether one does that may not be sent.
//!
//! A sentence is known by its letters and digits alone, so that it is found however a prompt sets it: broken into other
//! lines, in quotation marks, or within JSON. Windows of so many letters cover it from its beginning to its end, and it
//! stands in a text that holds all of them. What is shorter than a window is covered by one that goes on into its neighbour,
//! and a text that is shorter as a whole is found between the ends of words. Looking is linear in the text, whatever there is
//! to look for.

use super::context::{Context, Turn};
use super::ports::{ChatRequest, Source};
use super::shingles::{Windows, Words, at_ends, covered, each_words, rolled, unescaped, whole};
use std::cell::RefCell;
use std::collections::HashSet;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::sentence::sentences;

/// Letters and digits of the shortest text that is kept from being sent: "Yes" is nobody's secret.
const SHORTEST: usize = 6;
/// What a run has seen so far.
#[derive(Debug, Default)]
pub struct Seen(RefCell<Known>);

#[derive(Debug, Default)]
struct Known {
    chunks: Vec<Text>,
    /// Keys and texts of chunks that are in `chunks` already, and whether they may not be sent.
    noted: HashSet<([String; 3], String, bool)>,
    /// Ids of chunks that may not be sent, whatever a later step makes of their metadata. By the id alone, because a function of the
    /// caller's may leave out the rest: a chunk of another document that shares the id is kept on the device as well.
    never: HashSet<String>,
    /// Sentences of the library that stand in a chunk that may be sent as well, and the windows at their ends.
    open: HashSet<Windows>,
    /// Words that follow each other in such a chunk, and are shorter than a window.
    open_words: HashSet<Words>,
    /// All windows there are.
    windows: HashSet<u64>,
    /// Those of texts that may not be sent, and the texts among them that are shorter than a window.
    withheld: HashSet<u64>,
    short: HashSet<Words>,
    /// Those of them that a model has written itself: it cannot be kept from what it says.
    said: HashSet<u64>,
    said_words: HashSet<Words>,
}

/// A text to look for.
#[derive(Debug)]
struct Text {
    /// The chunk; none of an earlier answer.
    source: Option<Source>,
    /// May not be sent.
    never: bool,
    sentences: Vec<Windows>,
    /// Itself, where it is shorter than any sentence that is looked for.
    short: Option<Words>,
}

/// What stands in a request.
#[derive(Debug, Default, PartialEq)]
pub struct Standing {
    /// The chunks, in the order they were seen.
    pub sources: Vec<Source>,
    /// Whether one of them, or an earlier answer, may not be sent.
    pub never: bool,
}

impl Seen {
    /// Notes what the library has found.
    pub fn found(&self, hits: &[Hit]) {
        hits.iter().for_each(|hit| self.0.borrow_mut().note(hit, true));
    }

    /// Notes every document that is never sent, found or not: sentences of one are held back whoever writes them.
    pub fn all(&self, hits: &[Hit]) {
        let mut known = self.0.borrow_mut();
        for hit in hits.iter().filter(|hit| !known.holds(hit)).collect::<Vec<_>>() {
            let sentences = covered(&hit.chunk.text);
            known.add(Text { source: Some(Source::of(hit)), never: true, sentences, short: None });
        }
    }

    /// Whether there is anything that may not be sent, as far as is known.
    pub fn has_withheld(&self) -> bool {
        self.0.borrow().chunks.iter().any(|one| one.never)
    }

    /// Notes what a run has that goes on from where it was stopped.
    pub fn again(&self, context: &Context) {
        context.results.iter().flatten().for_each(|result| self.found(&result.chunks));
        context.ranked.iter().for_each(|ranked| self.found(ranked));
        self.found(&context.context_used);
        self.found(&context.workspace.progress.shown);
    }

    /// Notes what a function of the caller's gave. A chunk that may not be sent stays so if the function has left that out.
    pub fn given(&self, hits: &mut [Hit]) {
        let mut known = self.0.borrow_mut();
        for hit in hits {
            if known.never.contains(&hit.chunk.id) {
                hit.chunk.keep_on_device();
            }
            known.note(hit, false);
        }
    }

    /// Notes the answers of a conversation that may not be sent.
    pub fn conversation(&self, history: &[Turn]) {
        let mut known = self.0.borrow_mut();
        for turn in history.iter().filter(|turn| turn.withheld) {
            // What cites stands between the sentences that were quoted.
            let sentences = turn.answer.split(['[', ']']).flat_map(covered).collect();
            known.add(Text { source: None, never: true, sentences, short: None });
        }
    }

    /// Notes what a model has written. It was shown nothing that may not be sent, so that a sentence of such a document is a
    /// guess of its own there; whether it guessed right is not told by holding back what quotes it.
    ///
    /// Returns whether the text holds anything of such a document.
    pub fn said(&self, text: &str) -> bool {
        let known = &mut *self.0.borrow_mut();
        let before = known.said.len() + known.said_words.len();
        for text in [text, &unescaped(text)] {
            known.said.extend(rolled(text).filter(|window| known.withheld.contains(window)));
            if !known.short.is_empty() {
                each_words(text, |words| _ = known.short.contains(&words) && known.said_words.insert(words));
            }
        }
        known.said.len() + known.said_words.len() > before
    }

    /// What stands in a request, wherever in it.
    ///
    /// # Errors
    /// Where the request cannot be read: it must not be sent then.
    pub fn within(&self, request: &ChatRequest) -> Result<Standing> {
        Ok(self.look(&unescaped(&json(request)?)))
    }

    /// The sentences, and short texts, for which a request is held back.
    ///
    /// # Errors
    /// As [`Seen::within`].
    pub fn held(&self, hits: &[Hit], request: &ChatRequest) -> Result<Vec<String>> {
        let text = unescaped(&json(request)?);
        let there: HashSet<u64> = rolled(&text).chain(rolled(&unescaped(&text))).collect();
        let mut words = HashSet::new();
        each_words(&text, |one| _ = words.insert(one));
        let stands = |sentence: &Windows| sentence.iter().all(|window| there.contains(window));
        let is_there = |text: &str| {
            covered(text).iter().any(stands) || whole(text).is_some_and(|short| words.contains(&short))
        };
        let mut held = Vec::new();
        for text in hits.iter().map(|hit| &hit.chunk.text).filter(|text| is_there(text)) {
            // Short sentences are looked for together with their neighbours.
            let ranges = sentences(text);
            let with_next = ranges.iter().zip(ranges.iter().skip(1).chain(ranges.last()));
            let pieces = with_next.filter_map(|(one, next)| text.get(one.start..next.end));
            held.extend(pieces.filter(|piece| is_there(piece)).map(str::to_owned));
        }
        Ok(held)
    }

    /// Whether a text holds a sentence that may not be sent.
    pub fn holds_never_sent(&self, text: &str) -> bool {
        self.look(text).never
    }

    fn look(&self, text: &str) -> Standing {
        let known = self.0.borrow();
        if known.chunks.is_empty() {
            return Standing::default();
        }
        let mut there: HashSet<u64> = rolled(text).filter(|hash| known.windows.contains(hash)).collect();
        // A prompt of the caller's may hold chunks as JSON.
        if text.contains('\\') {
            there.extend(rolled(&unescaped(text)).filter(|hash| known.windows.contains(hash)));
        }
        let mut words = HashSet::new();
        if known.chunks.iter().any(|one| one.short.is_some()) {
            each_words(text, |one| _ = words.insert(one));
            if text.contains('\\') {
                each_words(&unescaped(text), |one| _ = words.insert(one));
            }
        }
        let stands = |sentence: &Windows| sentence.iter().all(|window| there.contains(window));
        let mut standing = Standing::default();
        for one in &known.chunks {
            let short = one.short.filter(|short| words.contains(short));
            if let Some(source) =
                one.source.as_ref().filter(|_| one.sentences.iter().any(stands) || short.is_some())
            {
                standing.sources.push(source.clone());
            }
            let is_told = |sentence: &&Windows| {
                !known.open.contains(*sentence) && !sentence.iter().all(|window| known.said.contains(window))
            };
            let is_secret = |short: Words| {
                short.1 >= SHORTEST
                    && !known.open_words.contains(&short)
                    && !known.said_words.contains(&short)
            };
            standing.never |= one.never
                && (one.sentences.iter().filter(is_told).any(stands) || short.is_some_and(is_secret));
        }
        let mut seen = HashSet::new();
        standing.sources.retain(|source| {
            seen.insert([&source.collection, &source.doc_id, &source.chunk_id].map(String::clone))
        });
        standing
    }
}

fn json(request: &ChatRequest) -> Result<String> {
    serde_json::to_string(request).map_err(|error| Error::invalid("request", "plain data", error.to_string()))
}

/// Returns what a chunk is noted by.
fn noted(hit: &Hit) -> ([String; 3], String, bool) {
    (hit.chunk.key().map(str::to_owned), hit.chunk.text.clone(), hit.chunk.never_sent())
}

impl Known {
    /// Whether a chunk is noted already.
    fn holds(&self, hit: &Hit) -> bool {
        self.noted.contains(&noted(hit))
    }

    fn note(&mut self, hit: &Hit, of_library: bool) {
        let chunk = &hit.chunk;
        let never = chunk.never_sent();
        if never {
            self.never.insert(chunk.id.clone());
        }
        if !self.noted.insert(noted(hit)) {
            return;
        }
        let sentences = covered(&chunk.text);
        if of_library && !never {
            self.open(&chunk.text);
            chunk.title.iter().chain(&chunk.headings).for_each(|text| self.open(text));
            chunk.metadata.values().filter_map(|value| value.as_str()).for_each(|text| self.open(text));
        }
        let source = Source::of(hit);
        let short = sentences.is_empty().then(|| whole(&chunk.text)).flatten();
        self.add(Text { source: Some(source), never, sentences, short });
    }

    /// Notes a text of the library that may be sent.
    fn open(&mut self, text: &str) {
        self.open.extend(covered(text));
        self.open.extend(at_ends(text));
        each_words(text, |words| {
            if words.1 >= SHORTEST {
                self.open_words.insert(words);
            }
        });
    }

    fn add(&mut self, text: Text) {
        if text.never {
            self.withheld.extend(text.sentences.iter().flatten());
            self.short.extend(text.short);
        }
        self.windows.extend(text.sentences.iter().flatten());
        self.chunks.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{Message, Role};
    use crate::shingles::letters;
    use proptest::prelude::*;
    use vademecum_protocol::document::whole_document as hit;

    fn secret(id: &str, text: &str) -> Hit {
        let mut hit = hit(id, text);
        hit.chunk.keep_on_device();
        hit
    }

    fn asking(text: &str) -> ChatRequest {
        ChatRequest::text(None, vec![Message::new(Role::User, text)], false)
    }

    fn ids(standing: &Standing) -> Vec<&str> {
        standing.sources.iter().map(|source| source.chunk_id.as_str()).collect()
    }

    const OPEN: &str = "The canteen opens at eight in the morning. It closes at two.";
    const SECRET: &str = "The safe opens with the birthday of the founder.\nIts door is grey.";

    #[test]
    fn a_request_tells_which_chunks_stand_in_it_however_they_are_set() {
        let seen = Seen::default();
        seen.found(&[hit("a", OPEN), hit("b", "Something else that was found as well."), hit("c", "47 11")]);
        for set in [
            format!("[1] Title\n{OPEN}\n\nQuestion: when?"),
            "\"the canteen opens\nAT EIGHT, in the *morning*\" does not stand there".to_owned(),
            serde_json::json!({ "chunks": [{ "text": OPEN }] }).to_string(),
            serde_json::json!("The canteen opens at\neight\tin the morning.").to_string(),
        ] {
            assert_eq!(ids(&seen.within(&asking(&set)).unwrap()), ["a"], "{set}");
        }
        assert_eq!(ids(&seen.within(&asking("the number is 47 11")).unwrap()), ["c"]);
        assert_eq!(
            seen.within(&asking("The canteen opens at nine in the morning.")).unwrap(),
            Standing::default()
        );
    }

    #[test]
    fn a_sentence_that_may_not_be_sent_is_found_in_tools_and_formats_as_well() {
        let seen = Seen::default();
        seen.found(&[hit("a", OPEN), secret("b", SECRET)]);
        assert!(!seen.within(&asking(OPEN)).unwrap().never);
        assert!(
            seen.within(&asking("Is it true: the safe opens with the birthday of the founder?"))
                .unwrap()
                .never
        );
        let mut request = asking("q");
        request.tools = Some(serde_json::json!([{ "function": { "description": SECRET } }]));
        assert!(seen.within(&request).unwrap().never);
        assert!(seen.holds_never_sent(SECRET) && !seen.holds_never_sent("The safe opens."));
    }

    #[test]
    fn what_the_library_says_elsewhere_as_well_is_no_secret() {
        let seen = Seen::default();
        let clause = "Either party may end this contract in writing.";
        seen.found(&[secret("a", &format!("{clause} {SECRET}")), hit("b", clause)]);
        assert!(!seen.within(&asking(clause)).unwrap().never);
        assert!(seen.within(&asking(SECRET)).unwrap().never);
        // What a function of the caller's says may be a copy.
        seen.given(&mut [hit("mine", SECRET)]);
        assert!(seen.within(&asking(SECRET)).unwrap().never);
    }

    #[test]
    fn a_chunk_stays_on_the_device_when_a_function_leaves_its_metadata_out() {
        let seen = Seen::default();
        seen.found(&[secret("a", SECRET)]);
        let mut given = [hit("a", SECRET), hit("b", OPEN)];
        seen.given(&mut given);
        assert!(given[0].chunk.never_sent() && !given[1].chunk.never_sent());
    }

    #[test]
    fn short_sentences_are_kept_with_the_long_one_beside_them() {
        let long = "The safe stands in the cellar behind the old boiler.";
        let seen = Seen::default();
        seen.found(&[secret("a", &format!("Pin 4711. Two keys. {long} Ask Ann.")), hit("b", long)]);
        assert!(!seen.within(&asking(long)).unwrap().never, "the long one stands elsewhere as well");
        assert!(seen.within(&asking("Pin 4711. Two keys. The safe stands in the cellar.")).unwrap().never);
        assert!(
            seen.within(&asking("It stands in the cellar behind the old boiler. Ask Ann.")).unwrap().never
        );
        seen.found(&[hit("c", &format!("{long} Ask Ann. Nobody else knows where it is."))]);
        assert!(!seen.within(&asking(&format!("{long} Ask Ann. Nobody"))).unwrap().never);
    }

    #[test]
    fn a_chunk_that_is_short_as_a_whole_is_kept_by_its_whole_words() {
        let seen = Seen::default();
        seen.found(&[
            secret("a", "Pin: 4711."),
            secret("b", "Yes."),
            secret("c", "30 days"),
            secret("d", "car 12"),
        ]);
        for told in ["the pin\n4711 opens it", "\"PIN 4711\"", "{\"text\":\"Pin: 4711.\"}"] {
            assert!(seen.within(&asking(told)).unwrap().never, "{told}");
        }
        for other in ["the spin 4711", "pin 47112", "yes", "a scar 12", "30 daystar"] {
            assert!(!seen.within(&asking(other)).unwrap().never, "{other}");
        }
        assert_eq!(ids(&seen.within(&asking("Yes, he said")).unwrap()), ["b"]);
        assert!(seen.within(&asking("yesterday")).unwrap().sources.is_empty());
        assert!(seen.within(&asking("within 30 days")).unwrap().never);
        seen.found(&[hit("e", "The notice is 30 days.")]);
        assert!(
            !seen.within(&asking("within 30 days")).unwrap().never,
            "a chunk that may be sent says it too"
        );
    }

    #[test]
    fn an_earlier_answer_that_was_withheld_is_looked_for_too() {
        let seen = Seen::default();
        let turn = |withheld| Turn {
            question: "q".into(),
            answer: "The safe opens with the birthday of the founder. [1] It is grey. [a.md]".into(),
            withheld,
            ..Turn::default()
        };
        seen.conversation(&[turn(false)]);
        assert!(!seen.holds_never_sent(SECRET));
        seen.conversation(&[turn(true)]);
        assert!(seen.holds_never_sent(SECRET));
    }

    proptest! {
        #[test]
        fn a_text_holds_its_own_sentences_whatever_stands_around_them(
            text in "\\PC{0,200}", before in "\\PC{0,40}", after in "\\PC{0,40}"
        ) {
            let seen = Seen::default();
            seen.found(&[secret("a", &text)]);
            let kept = letters(&text).count() >= SHORTEST;
            let request = asking(&format!("{before}\n{text}\n{after}"));
            prop_assert_eq!(seen.within(&request).unwrap().never, kept);
        }

        #[test]
        fn unescaping_undoes_json(text in "\\PC{0,80}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(unescaped(&json), format!("\"{text}\""));
        }
    }

    #[test]
    fn looking_takes_one_step_a_letter() {
        let seen = Seen::default();
        let same: String = "a".repeat(1 << 20);
        let chunks: Vec<Hit> = (1..200).map(|at| secret(&at.to_string(), &"a".repeat(at * 24))).collect();
        seen.found(&chunks);
        let began = std::time::Instant::now();
        assert!(seen.within(&asking(&same)).unwrap().never);
        assert!(began.elapsed().as_secs() < 10);
    }
}
