//! What a run has seen of the documents: which chunks stand in a request, and whether one does that may not be sent.
//!
//! A sentence is known by its letters and digits alone, so that it is found however a prompt sets it: broken into other
//! lines, in quotation marks, or within JSON. Windows of so many letters cover it from its beginning to its end, and it
//! stands in a text that holds all of them. What is shorter than a window is covered by one that goes on into its neighbour,
//! and a text that is shorter as a whole is found between the ends of words. Looking is linear in the text, whatever there is
//! to look for.

use super::context::{Context, Turn};
use super::ports::{ChatRequest, NeverSentText, Source};
use std::cell::RefCell;
use std::collections::HashSet;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::sentence::sentences;
use vademecum_text::shingles::{Windows, Words, at_ends, covered, each_words, rolled, unescaped, whole};

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
    /// How many of `chunks` precede those of the library in a list of sources: as many as were noted when it was first asked.
    before_library: Option<usize>,
    /// Ids of chunks that may not be sent, whatever a later step makes of their metadata. By the id alone, because a function of the
    /// caller's may leave out the rest: a chunk of another document that shares the id is kept on the device as well.
    never: HashSet<String>,
    /// Sentences of the library that stand in a chunk that may be sent as well, and the windows at their ends.
    open: HashSet<Windows>,
    /// Words that follow each other in such a chunk, and are shorter than a window.
    open_words: HashSet<Words>,
    /// Windows of texts that may not be sent, and those of these texts that are shorter than a window.
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

/// Texts of documents that a request contains.
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

    /// Notes that the library is asked from now on what texts hold of its documents that are never sent.
    pub fn begin_library(&self) {
        let known = &mut *self.0.borrow_mut();
        known.before_library.get_or_insert(known.chunks.len());
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
            // Citations are between the quoted sentences.
            let sentences = turn.answer.split(['[', ']']).flat_map(covered).collect();
            known.add(Text { source: None, never: true, sentences, short: None });
        }
    }

    /// Notes what a model has written; `library` is what the text holds of the library. The model was shown nothing that may not be
    /// sent, so a sentence of such a document is a guess of its own there, and whether it guessed right must not be revealed by
    /// holding back what quotes it.
    ///
    /// Returns whether the text holds anything of such a document that no text before it held.
    pub fn said(&self, text: &str, library: &NeverSentText) -> bool {
        let known = &mut *self.0.borrow_mut();
        let before = known.said.len() + known.said_words.len();
        known.said.extend(&library.windows);
        known.said.extend(rolled(text).iter().filter(|window| known.withheld.contains(window)));
        if !known.short.is_empty() {
            for text in [text, &unescaped(text)] {
                each_words(text, |words| _ = known.short.contains(&words) && known.said_words.insert(words));
            }
        }
        known.said.len() + known.said_words.len() > before
    }

    /// Returns the documents' texts that a text contains; `library` are those found in the library.
    pub fn within(&self, text: &str, library: &NeverSentText) -> Standing {
        let known = self.0.borrow();
        let mut standing = Standing::default();
        if known.chunks.is_empty() && library.chunks.is_empty() {
            return standing;
        }
        let there = rolled(text);
        let mut words = HashSet::new();
        if known.chunks.iter().any(|one| one.short.is_some()) {
            each_words(text, |one| _ = words.insert(one));
            if text.contains('\\') {
                each_words(&unescaped(text), |one| _ = words.insert(one));
            }
        }
        let stands = |sentence: &&Windows| sentence.iter().all(|window| there.contains(window));
        for (at, one) in known.chunks.iter().enumerate() {
            if known.before_library == Some(at) {
                standing.sources.extend(library.chunks.iter().map(Source::never_sent));
            }
            let short = one.short.filter(|short| words.contains(short));
            let mut standing_here = one.sentences.iter().filter(stands).peekable();
            if standing_here.peek().is_some() || short.is_some() {
                standing.sources.extend(one.source.clone());
            }
            standing.never |= one.never
                && (standing_here.any(|sentence| known.is_secret(sentence))
                    || short.is_some_and(|short| known.is_secret_word(short)));
        }
        if known.before_library.is_none_or(|before| before >= known.chunks.len()) {
            standing.sources.extend(library.chunks.iter().map(Source::never_sent));
        }
        standing.never |=
            library.chunks.iter().flat_map(|one| &one.sentences).any(|one| known.is_secret(one));
        let mut seen = HashSet::new();
        standing.sources.retain(|source| {
            seen.insert([&source.collection, &source.doc_id, &source.chunk_id].map(String::clone))
        });
        standing
    }
}

/// Returns the text of all parts of a request.
///
/// # Errors
/// Where the request cannot be read: it must not be sent then.
pub fn text_of(request: &ChatRequest) -> Result<String> {
    let json = serde_json::to_string(request);
    let json = json.map_err(|error| Error::invalid("request", "plain data", error.to_string()))?;
    Ok(unescaped(&json))
}

/// Returns the sentences, and short texts, of documents that are never sent for which a text is held back.
pub fn held(never_sent: &[String], text: &str) -> Vec<String> {
    let there = rolled(text);
    let mut words = HashSet::new();
    each_words(text, |one| _ = words.insert(one));
    let stands = |sentence: &Windows| sentence.iter().all(|window| there.contains(window));
    let is_there = |text: &str| {
        covered(text).iter().any(stands) || whole(text).is_some_and(|short| words.contains(&short))
    };
    let mut held = Vec::new();
    for text in never_sent.iter().filter(|text| is_there(text)) {
        // Short sentences are looked for together with their neighbours.
        let ranges = sentences(text);
        let with_next = ranges.iter().zip(ranges.iter().skip(1).chain(ranges.last()));
        let pieces = with_next.filter_map(|(one, next)| text.get(one.start..next.end));
        held.extend(pieces.filter(|piece| is_there(piece)).map(str::to_owned));
    }
    held
}

/// Returns what a chunk is noted by.
fn noted(hit: &Hit) -> ([String; 3], String, bool) {
    (hit.chunk.key().map(str::to_owned), hit.chunk.text.clone(), hit.chunk.never_sent())
}

impl Known {
    /// Reports whether a sentence of a document that is never sent is known from nowhere else.
    fn is_secret(&self, sentence: &[u64]) -> bool {
        !self.open.contains(sentence) && !sentence.iter().all(|window| self.said.contains(window))
    }

    /// Reports the same of a text that is shorter than a window.
    fn is_secret_word(&self, short: Words) -> bool {
        short.1 >= SHORTEST && !self.open_words.contains(&short) && !self.said_words.contains(&short)
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
        self.chunks.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{Message, Role};
    use proptest::prelude::*;
    use vademecum_protocol::document::whole_document as hit;
    use vademecum_text::shingles::letters;

    fn secret(id: &str, text: &str) -> Hit {
        let mut hit = hit(id, text);
        hit.chunk.keep_on_device();
        hit
    }

    fn asking(text: &str) -> ChatRequest {
        ChatRequest::text(None, vec![Message::new(Role::User, text)], false)
    }

    fn of_documents_seen(seen: &Seen, request: &ChatRequest) -> Standing {
        seen.within(&text_of(request).unwrap(), &NeverSentText::default())
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
            assert_eq!(ids(&of_documents_seen(&seen, &asking(&set))), ["a"], "{set}");
        }
        assert_eq!(ids(&of_documents_seen(&seen, &asking("the number is 47 11"))), ["c"]);
        assert_eq!(
            of_documents_seen(&seen, &asking("The canteen opens at nine in the morning.")),
            Standing::default()
        );
    }

    #[test]
    fn a_sentence_that_may_not_be_sent_is_found_in_tools_and_formats_as_well() {
        let seen = Seen::default();
        seen.found(&[hit("a", OPEN), secret("b", SECRET)]);
        assert!(!of_documents_seen(&seen, &asking(OPEN)).never);
        assert!(
            of_documents_seen(&seen, &asking("Is it true: the safe opens with the birthday of the founder?"))
                .never
        );
        let mut request = asking("q");
        request.tools = Some(serde_json::json!([{ "function": { "description": SECRET } }]));
        assert!(of_documents_seen(&seen, &request).never);
        assert!(
            seen.within(SECRET, &NeverSentText::default()).never
                && !seen.within("The safe opens.", &NeverSentText::default()).never
        );
    }

    #[test]
    fn what_the_library_says_elsewhere_as_well_is_no_secret() {
        let seen = Seen::default();
        let clause = "Either party may end this contract in writing.";
        seen.found(&[secret("a", &format!("{clause} {SECRET}")), hit("b", clause)]);
        assert!(!of_documents_seen(&seen, &asking(clause)).never);
        assert!(of_documents_seen(&seen, &asking(SECRET)).never);
        // What a function of the caller's says may be a copy.
        seen.given(&mut [hit("mine", SECRET)]);
        assert!(of_documents_seen(&seen, &asking(SECRET)).never);
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
        assert!(!of_documents_seen(&seen, &asking(long)).never, "the long one stands elsewhere as well");
        assert!(
            of_documents_seen(&seen, &asking("Pin 4711. Two keys. The safe stands in the cellar.")).never
        );
        assert!(
            of_documents_seen(&seen, &asking("It stands in the cellar behind the old boiler. Ask Ann."))
                .never
        );
        seen.found(&[hit("c", &format!("{long} Ask Ann. Nobody else knows where it is."))]);
        assert!(!of_documents_seen(&seen, &asking(&format!("{long} Ask Ann. Nobody"))).never);
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
            assert!(of_documents_seen(&seen, &asking(told)).never, "{told}");
        }
        for other in ["the spin 4711", "pin 47112", "yes", "a scar 12", "30 daystar"] {
            assert!(!of_documents_seen(&seen, &asking(other)).never, "{other}");
        }
        assert_eq!(ids(&of_documents_seen(&seen, &asking("Yes, he said"))), ["b"]);
        assert!(of_documents_seen(&seen, &asking("yesterday")).sources.is_empty());
        assert!(of_documents_seen(&seen, &asking("within 30 days")).never);
        seen.found(&[hit("e", "The notice is 30 days.")]);
        assert!(
            !of_documents_seen(&seen, &asking("within 30 days")).never,
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
        assert!(!seen.within(SECRET, &NeverSentText::default()).never);
        seen.conversation(&[turn(true)]);
        assert!(seen.within(SECRET, &NeverSentText::default()).never);
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
            prop_assert_eq!(of_documents_seen(&seen, &request).never, kept);
        }
    }

    #[test]
    fn looking_takes_one_step_a_letter() {
        let seen = Seen::default();
        let same: String = "a".repeat(1 << 20);
        let chunks: Vec<Hit> = (1..200).map(|at| secret(&at.to_string(), &"a".repeat(at * 24))).collect();
        seen.found(&chunks);
        let began = std::time::Instant::now();
        assert!(of_documents_seen(&seen, &asking(&same)).never);
        assert!(began.elapsed().as_secs() < 10);
    }
}
