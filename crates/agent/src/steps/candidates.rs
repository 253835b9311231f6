//! The sentences of passages that may answer a question, their lists, rows and code, scored by the question's words and, with an
//! encoder, by its meaning.

use super::code_signs::{has_code_signs, is_in_comment, is_report, looks_like_code};
use super::fragments::{is_caption, is_fragment, is_whole};
use super::headings::{is_asked, names_list};
use super::mail_heads::{asked_field, has_head, implied, is_field};
use super::parts::{Kind, Part, parts};
use super::references::refers_back;
use super::row_hits::is_row;
use super::tables::may_stand_for;
use std::collections::BTreeSet;
use std::ops::Range;
use vademecum_grounding::answerable::{Matched, Rarity, SentenceFit, has_other_year, years};
use vademecum_grounding::asking::{
    asks_how, asks_several, asks_what_to_do, asks_why, counted_terms, counts_other, is_german, measured_terms,
};
use vademecum_grounding::attributes::told_terms;
use vademecum_grounding::claim::claimed_terms;
use vademecum_grounding::expected::{Expected, expected};
use vademecum_grounding::lacking::{Identifiers, only_repeats, tells_reason};
use vademecum_grounding::measure::is_amount;
use vademecum_grounding::possession::{Possession, asked_attribute, asked_noun};
use vademecum_protocol::document::Hit;
use vademecum_text::terms::words;
use vademecum_util::within::Within;

/// What a list is worth more than a sentence to a question for several things, and less to others.
const LISTED: f32 = 2.0;
/// Penalty for a row if the question names another row of the table.
const OF_OTHER_ROW: f32 = 2.5;
/// Maximum number of lines of code that answers how something is done without a line that announces it.
const COMMAND_LINES: usize = 3;
/// Penalty for a field that only repeats the question.
const REPEATING: f32 = 3.0;
/// Penalty for a caption.
const OF_CAPTION: f32 = 1.5;
/// What a field is worth more whose name has only words of the question.
const OF_ASKED_NAME: f32 = 2.0;
/// Words that begin a clause about a moment.
const MOMENTS: [&str; 5] = ["when", "while", "during", "before", "after"];
/// Penalty for a line without a full stop among sentences: a heading, an address, the head of minutes.
const OF_FRAGMENT: f32 = 1.5;
/// Length of a sentence that tells running text from lines, in bytes.
const SENTENCE: usize = 40;
/// What a sentence with a reason is worth more to a question for one.
const TOLD_REASON: f32 = 1.0;
/// Number of bytes on each side of a sentence in which a reason for it is looked for.
const BESIDE: usize = 200;
/// Number of bytes of the next sentence that count for a short one.
const AFTER: usize = 100;
/// Length of a short sentence, in bytes: it may only announce the next one.
const SHORT: usize = 30;
/// Penalty for a sentence whose words are all in those chosen already.
const REPEATED: f32 = 0.5;

/// A sentence that may answer, or another part of a passage.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The position of its passage.
    pub(super) passage: usize,
    pub(super) bytes: Range<usize>,
    /// The text, as an answer quotes it.
    pub(super) text: String,
    terms: BTreeSet<String>,
    /// Shares of the question's terms, by rarity: in the sentence, with its title and headings, and in the whole passage.
    words: [f32; 3],
    /// Whether it has a thing of the kind that the question asks for.
    has_kind: bool,
    /// Whether it tells something else: the attribute of another name, or of a thing without the one that is asked for.
    pub(super) is_of_other: bool,
    /// Whether it is the row that the question names, without the attribute that it asks for.
    pub(super) lacks_attribute: bool,
    /// Names above it that it is quoted without, as those of objects of JSON.
    below: String,
    /// Whether the question asks for a definition, which sentences give in many forms.
    asks_definition: bool,
    /// Whether the question asks for an action. The sentence after the one about the case often contains it.
    pub(super) asks_what_to_do: bool,
    /// Whether the question asks for no date, number, person or place, so that its answer may go on in the next sentence.
    pub(super) may_go_on: bool,
    /// Whether it is a sentence, or a question with the sentence that answers it.
    pub(super) is_sentence: bool,
    /// Whether it ends as a sentence does.
    is_whole: bool,
    /// Whether it is part of running text, rather than a row or a field.
    is_in_text: bool,
    /// Whether it is a name with its value.
    pub(super) is_field: bool,
    /// Whether it is a list, and the question asks for one.
    pub(super) is_asked_list: bool,
    /// Score for its shape: of lists, and of rows beside one that the question names; 0 for other parts.
    of_shape: f32,
    /// Whether it begins with a word that refers to the sentence before.
    pub(super) refers_back: bool,
    /// Whether it has an amount and hardly anything else: what it is of, the sentence before says.
    lacks_subject: bool,
    /// What an encoder measured.
    meaning: Option<Meaning>,
}

/// How near a sentence and its passage are to the question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meaning {
    /// Cosine of the sentence, in standard deviations above unrelated ones.
    pub(super) own: f32,
    /// The same of its passage.
    pub(super) passage: f32,
    /// How well its words match the question's, if the encoder tells.
    pub(super) matched: Option<Matched>,
}

impl Candidate {
    /// Returns how well it fits the question. The weights were fitted to questions whose answer is known.
    pub(super) fn score(&self) -> f32 {
        let [sentence, titled, passage] = self.words;
        let kind = f32::from(u8::from(self.has_kind));
        let whole = f32::from(u8::from(self.is_whole));
        let rank = (self.passage as f32).ln_1p();
        match self.meaning {
            Some(Meaning { passage: of_passage, matched: Some(Matched { mean, least }), .. }) => {
                0.5 * of_passage
                    + 2.5 * sentence
                    + 3.0 * passage
                    + 2.0 * kind
                    + 0.7 * whole
                    + 6.5 * mean
                    + 2.0 * least
                    + self.of_shape
            }
            Some(Meaning { own, passage: of_passage, matched: None }) => {
                own + 0.4 * of_passage + 3.0 * sentence + titled + 2.5 * passage + 2.2 * kind + 0.7 * whole
                    - 0.4 * rank
                    + self.of_shape
            }
            None => {
                2.0 * sentence + 3.5 * titled + 4.0 * passage + 3.5 * kind + 0.3 * whole - 1.3 * rank
                    + self.of_shape
            }
        }
    }

    /// Returns how well it fits, for the judgement of the evidence.
    pub(super) fn fit(&self) -> SentenceFit {
        let [words, _, passage] = self.words;
        let meaning = self.meaning.map(|measured| measured.own);
        let matched = self.meaning.and_then(|measured| measured.matched);
        SentenceFit { words, passage, meaning, matched, kind: self.has_kind || self.asks_definition }
    }

    /// Returns whether it has a thing of the kind that the question asks for.
    pub(super) fn has_kind(&self) -> bool {
        self.has_kind
    }

    /// Returns whether it has one of these terms.
    pub(super) fn tells(&self, terms: &BTreeSet<String>) -> bool {
        !self.terms.is_disjoint(terms)
    }

    /// Returns its length in characters.
    pub(super) fn length(&self) -> usize {
        self.text.chars().count()
    }

    /// Returns whether an encoder has measured it.
    pub(super) fn has_meaning(&self) -> bool {
        self.meaning.is_some()
    }

    /// Sets what an encoder measured.
    pub(super) fn set_meaning(&mut self, meaning: Meaning) {
        self.meaning = Some(meaning);
    }

    /// Returns the sentence after its title and heading, as it is embedded.
    pub(super) fn in_context(&self, evidence: &[Hit]) -> String {
        let Some(chunk) = evidence.get(self.passage).map(|hit| &hit.chunk) else { return String::new() };
        let above = chunk.headings.last().filter(|heading| Some(*heading) != chunk.title.as_ref());
        let below = Some(self.below.as_str()).filter(|names| !names.is_empty());
        let context = chunk.title.iter().chain(above).map(String::as_str).chain(below);
        context.chain([self.text.as_str()]).collect::<Vec<_>>().join("\n")
    }

    /// Returns the text of the passage from which it is taken; of running text, with [`BESIDE`] bytes on each side.
    pub(super) fn surroundings<'a>(&self, evidence: &'a [Hit]) -> &'a str {
        let text = evidence.get(self.passage).map_or("", |hit| hit.chunk.text.as_str());
        let beside = if self.is_in_text { BESIDE } else { 0 };
        let start = text.floor_char_boundary(self.bytes.start.saturating_sub(beside));
        let end = text.ceil_char_boundary(self.bytes.end.saturating_add(beside).min(text.len()));
        text.within(start..end)
    }

    /// Returns the number of its terms that a question does not contain. Counts the next sentence too if it is short, and the values of rows and fields only.
    pub(super) fn told_besides(&self, asked: &BTreeSet<String>, evidence: &[Hit]) -> usize {
        let text = evidence.get(self.passage).map_or("", |hit| hit.chunk.text.as_str());
        let told = if self.is_in_text {
            let after = if self.bytes.len() < SHORT { AFTER } else { 0 };
            let end = text.ceil_char_boundary((self.bytes.end + after).min(text.len()));
            claimed_terms(text.within(self.bytes.start..end))
        } else {
            values(&self.text, self.is_field)
        };
        told.difference(asked).count()
    }

    /// Returns whether both contain the same part of a passage.
    pub(super) fn overlaps(&self, other: &Candidate) -> bool {
        self.passage == other.passage
            && self.bytes.start < other.bytes.end
            && other.bytes.start < self.bytes.end
    }

    /// Returns whether the question shares a term with it, its title or headings.
    pub(super) fn shares_words(&self) -> bool {
        let [_, titled, _] = self.words;
        titled > 0.0
    }

    /// Returns the score, lowered as far as others say the same.
    pub(super) fn worth(&self, chosen: &[&Candidate]) -> f32 {
        let is_said = |term: &&String| chosen.iter().any(|one| one.terms.contains(*term));
        let again = self.terms.iter().filter(is_said).count() as f32;
        self.score() - REPEATED * again / self.terms.len().max(1) as f32
    }

    /// Returns whether it goes on about the sentence before, which it refers to or which has its subject, with a thing of the kind that
    /// is asked for.
    pub(super) fn continues(&self, before: &Candidate, evidence: &[Hit]) -> bool {
        (self.refers_back || self.lacks_subject) && self.has_kind && before.is_before(self, evidence)
    }

    /// Returns whether it is the sentence before another one.
    pub(super) fn is_before(&self, other: &Candidate, evidence: &[Hit]) -> bool {
        let text = evidence.get(self.passage).map_or("", |hit| hit.chunk.text.as_str());
        let between = text.get(self.bytes.end..other.bytes.start);
        self.passage == other.passage && between.is_some_and(|between| between.trim().is_empty())
    }
}

/// Returns the parts of passages that may answer a question, best first by words.
pub(super) fn candidates(question: &str, evidence: &[Hit], rarity: &Rarity) -> Vec<Candidate> {
    let (asked, kind) = (claimed_terms(question), expected(question));
    let (wants_list, asks_how, asks_why) = (asks_several(question), asks_how(question), asks_why(question));
    let (counted, possession) = (counted_terms(question), Possession::of(question));
    let (attribute, measured) = (asked_attribute(question), measured_terms(question));
    let noun = asked_noun(question);
    let (head, of_head) = (asked_field(question), implied());
    let (identifiers, asked_years) = (Identifiers::of(question), years(question));
    let chooses = words(question).any(|(_, word)| ["or", "oder"].contains(&word.to_lowercase().as_str()));
    // "Who was present when the boiler failed?" asks for another list than that of a meeting.
    let of_moment = words(question).skip(1).any(|(_, word)| MOMENTS.contains(&word.to_lowercase().as_str()));
    let asks_to_choose = chooses || kind == Expected::Decision;
    let wants_code = words(&question.to_lowercase()).any(|(_, word)| CODE.split(' ').any(|one| one == word));
    let mut candidates = Vec::new();
    for (passage, hit) in evidence.iter().enumerate() {
        let chunk = &hit.chunk;
        let mut above: BTreeSet<String> =
            chunk.headings.iter().chain(&chunk.title).flat_map(|text| claimed_terms(text)).collect();
        if is_german(question) {
            above.extend(heads_of_compounds(&asked, &above));
        }
        let with_above = |terms: &BTreeSet<String>| rarity.share(&terms.union(&above).cloned().collect());
        let in_passage = told_terms(&chunk.text);
        let whole = with_above(&in_passage);
        let named = chunk.title.as_deref().map(claimed_terms).unwrap_or_default();
        let (is_record, is_mail) = (is_row(hit), head.is_some() && has_head(&chunk.text));
        let parts = parts(&chunk.text);
        let may_be_quoted = |part: &Part| match part.kind {
            Kind::Code { is_led } => {
                let is_command = asks_how && part.text.lines().count() <= COMMAND_LINES;
                (wants_code || is_command || is_led && !asks_why) && !is_report(&part.text)
            }
            _ => true,
        };
        // A reason may stand before code that is not quoted; other announcements tell nothing alone.
        let announced = parts.iter().filter(|part| is_announced(part) && (!asks_why || may_be_quoted(part)));
        let leads: BTreeSet<usize> = announced.map(|part| part.bytes.start).collect();
        let is_of_other_year = |text: &str| {
            !asked_years.iter().any(|year| above.contains(year)) && has_other_year(&asked_years, text)
        };
        // A list below "Ingredients" answers a question for them, however it is asked.
        let heading = chunk.headings.last().filter(|heading| Some(*heading) != chunk.title.as_ref());
        let is_headed =
            !asks_why && heading.is_some_and(|heading| names_list(heading, question, &asked, kind));
        let is_prose_text = parts
            .iter()
            .any(|part| part.kind == Kind::Sentence && part.text.len() >= SENTENCE && is_whole(&part.text));
        let has_asked_row = parts.iter().any(|part| is_asked_row(part, &asked));
        for part in parts {
            let may_answer = match part.kind {
                // What announces a list or code is quoted with it.
                Kind::Sentence => {
                    is_prose(&chunk.text, &part, &chunk.headings) && !leads.contains(&part.bytes.start)
                }
                Kind::Row | Kind::Field | Kind::List | Kind::Code { .. } => may_be_quoted(&part),
            };
            if !may_answer {
                continue;
            }
            let terms = claimed_terms(&part.text);
            let of_value = match part.kind {
                Kind::Field => Some(claimed_terms(name_and_value(&part.text).1)),
                _ => None,
            };
            // Repeats the question, which answers only if it offers a choice or asks for yes or no.
            let repeats = !asks_to_choose && only_repeats(of_value.as_ref().unwrap_or(&terms), &asked);
            let mut told =
                if part.kind == Kind::Row { of_values(&part.text, &asked) } else { told_terms(&part.text) };
            told.extend(claimed_terms(&part.below));
            // The subject of a mail names its topic and contains no answer.
            let is_topic = |text: &str| head != Some("subject") && is_field(text, "subject");
            let is_head =
                is_mail && part.kind == Kind::Field && head.is_some_and(|name| is_field(&part.text, name));
            if is_head {
                told.extend(of_head.iter().cloned());
            }
            // A field, and a row of two cells, is about what its document is about.
            let is_named = is_head || names_asked(&part, &asked);
            let own = if is_named { with_above(&told) } else { rarity.share(&told) };
            let is_of_other = possession.as_ref().is_some_and(|asked| match part.kind {
                _ if is_record => !asked.is_in_record(&part.text, may_stand_for),
                _ => asked.is_of_other(&part.text, &above, &in_passage),
            });
            // The field of another attribute, or of another measure, tells nothing of the one that is asked for.
            let has = |term: &String| told.contains(term) || told.iter().any(|own| may_stand_for(term, own));
            let is_pair = part.kind == Kind::Row && part.text.split("; ").count() == 2;
            let is_field = is_record || is_pair || part.kind == Kind::Field;
            let is_measure = measured.is_empty()
                || !measured.is_disjoint(&told)
                || is_record && (!kind.is_strict() || kind.has_unit(&part.text))
                || names_asked(&part, &asked);
            let is_attribute = is_measure && (attribute.is_empty() || attribute.iter().any(has));
            let is_meant = !is_of_other
                && (!is_field || is_head || is_attribute)
                && (!is_mail || is_head)
                && !counts_other(question, &counted, &part.text);
            let is_asked_list = part.kind == Kind::List && (wants_list || is_headed);
            candidates.push(Candidate {
                passage,
                words: [own, with_above(&told), whole],
                is_of_other,
                lacks_attribute: is_record
                    && !named.is_empty()
                    && named.is_subset(&asked)
                    && !noun.is_empty()
                    && !noun.iter().any(has),
                has_kind: is_meant
                    && !(repeats && (kind == Expected::Other || part.kind == Kind::Field))
                    && if wants_code && !kind.is_strict() && kind != Expected::Definition {
                        matches!(part.kind, Kind::Code { .. })
                    } else {
                        kind.is_in(&part.text, &asked)
                    },
                asks_definition: kind == Expected::Definition,
                asks_what_to_do: kind == Expected::Other && asks_what_to_do(question),
                may_go_on: matches!(kind, Expected::Other | Expected::Decision),
                is_sentence: part.kind == Kind::Sentence,
                is_asked_list,
                is_whole: part.kind != Kind::Sentence || is_whole(&part.text),
                is_field: part.kind == Kind::Field,
                is_in_text: !is_record && !matches!(part.kind, Kind::Row | Kind::Field),
                of_shape: match part.kind {
                    Kind::Field if repeats || is_topic(&part.text) => -REPEATING,
                    _ if identifiers.has_other(&part.text) || is_of_other_year(&part.text) => -OF_OTHER_ROW,
                    Kind::Field
                        if !is_mail && !of_moment && is_asked(name_and_value(&part.text).0, &asked) =>
                    {
                        OF_ASKED_NAME
                    }
                    Kind::Sentence if !asks_how && is_caption(&part.text) => -OF_CAPTION,
                    Kind::Sentence if asks_why && tells_reason(&part.text) => TOLD_REASON,
                    Kind::Sentence if is_prose_text && is_fragment(&chunk.text, &part) => -OF_FRAGMENT,
                    Kind::List if is_asked_list => LISTED,
                    Kind::List => -LISTED,
                    Kind::Row if has_asked_row && !is_asked_row(&part, &asked) => -OF_OTHER_ROW,
                    _ => 0.0,
                },
                refers_back: part.kind == Kind::Sentence && refers_back(&part.text),
                lacks_subject: part.kind == Kind::Sentence && kind.is_strict() && is_amount(&part.text),
                meaning: None,
                terms,
                below: part.below,
                bytes: part.bytes,
                text: part.text,
            });
        }
    }
    candidates.sort_by(|a, b| b.score().total_cmp(&a.score()));
    candidates
}

/// Words of questions that code answers.
const CODE: &str =
    "code command commands snippet syntax script expression regex befehl befehle commande comando código";

/// Returns whether a part is a row whose first cell has only terms of the question.
fn is_asked_row(part: &Part, asked: &BTreeSet<String>) -> bool {
    let first = part.text.split("; ").next().map(value_of);
    part.kind == Kind::Row && first.is_some_and(|first| only_repeats(&claimed_terms(first), asked))
}

/// Splits a field into its name and its value.
fn name_and_value(field: &str) -> (&str, &str) {
    field.split_once([':', '=']).unwrap_or(("", field))
}

/// Returns the terms of the values of a row or a field.
fn values(text: &str, is_field: bool) -> BTreeSet<String> {
    if is_field {
        return claimed_terms(name_and_value(text).1);
    }
    claimed_terms(&cell_values(text).join("; "))
}

/// Returns the values of a row's cells, without the names of their columns.
fn cell_values(row: &str) -> Vec<&str> {
    row.split("; ").map(value_of).collect()
}

/// Returns the value of a cell, without the name of its column.
fn value_of(cell: &str) -> &str {
    cell.split_once(": ").map_or(cell, |(_, value)| value)
}

/// Returns the terms of a row; without those of the columns' names, which every row has, if no value shares a term with the question.
fn of_values(row: &str, asked: &BTreeSet<String>) -> BTreeSet<String> {
    let of_values = told_terms(&cell_values(row).join("; "));
    if of_values.is_disjoint(asked) { of_values } else { told_terms(row) }
}

/// Returns the terms of a question that end a compound, as "Maschine" does "Kaffeemaschine".
fn heads_of_compounds(asked: &BTreeSet<String>, terms: &BTreeSet<String>) -> BTreeSet<String> {
    let ends = |term: &&String| {
        term.len() >= MIN_HEAD && terms.iter().any(|whole| whole.len() > term.len() && whole.ends_with(*term))
    };
    asked.iter().filter(ends).cloned().collect()
}

/// Minimum length of the last word of a compound, in bytes.
const MIN_HEAD: usize = 5;

/// Returns whether a part is a name with its value, and the name, or what it tells the measure of, is in the question.
fn names_asked(part: &Part, asked: &BTreeSet<String>) -> bool {
    let cells = cell_values(&part.text);
    let (name, value) = match (part.kind, cells.as_slice()) {
        (Kind::Row, [name, value]) => (*name, *value),
        (Kind::Field, _) => name_and_value(&part.text),
        _ => return false,
    };
    let mut named = claimed_terms(name);
    let of_value = claimed_terms(value);
    // "Weight: 1.1 kg" tells what it weighs.
    named.extend(told_terms(&format!("{name}: {value}")).into_iter().filter(|term| !of_value.contains(term)));
    !named.is_disjoint(asked)
}

/// Returns whether a part begins with the line that announces it.
fn is_announced(part: &Part) -> bool {
    matches!(part.kind, Kind::List | Kind::Code { is_led: true })
}

/// Returns whether a sentence is neither a heading nor code.
fn is_prose(passage: &str, part: &Part, headings: &[String]) -> bool {
    let (sentence, source) = (part.text.as_str(), passage.within(part.bytes.clone()));
    let is_heading = sentence.starts_with('#') || headings.iter().any(|heading| heading == sentence);
    let is_indented = source.contains("\n  ") || source.contains("    ");
    // Prose may have a hanging indent, as the clauses of a contract do.
    let is_code = sentence.starts_with(['$', '`', '|'])
        || is_in_comment(passage, part.bytes.start)
        || is_indented && has_code_signs(sentence);
    !is_heading && !is_code && !looks_like_code(sentence)
}
