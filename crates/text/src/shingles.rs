//! Fingerprints of sentences: hashes of windows of letters, which find a sentence in a text whatever its layout.
//!
//! Only letters and digits count, in lower case, so a sentence is found broken into other lines, in quotation marks, or within
//! JSON. A text contains a sentence if it contains all its windows. Comparing takes time linear in both texts.

use super::sentence::sentences;

/// Number of letters and digits of a window, and of the shortest sentence that is fingerprinted by itself. Shorter ones are
/// fingerprinted together with their neighbours.
pub const WINDOW: usize = 24;
/// Base of the rolling hash.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Windows that cover a sentence.
pub type Windows = Vec<u64>;
/// Whole words that are shorter than a window together: their hash and their number of letters and digits.
pub type Words = (u64, usize);

/// Fingerprint of one text, in two allocations however many sentences it has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fingerprint {
    windows: Vec<u64>,
    /// End of each sentence in `windows`.
    ends: Vec<u32>,
    whole: Option<Words>,
}

impl Fingerprint {
    /// Computes the fingerprint of a text.
    pub fn of(text: &str) -> Self {
        let mut print = Self { whole: whole(text), ..Self::default() };
        for sentence in covered(text) {
            print.windows.extend(sentence);
            print.ends.push(print.windows.len() as u32);
        }
        print
    }

    /// Returns the windows of each sentence, as [`covered`] does.
    pub fn sentences(&self) -> impl Iterator<Item = &[u64]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).filter_map(|(start, end)| self.windows.get(start as usize..*end as usize))
    }

    /// Returns the windows of all sentences.
    pub fn windows(&self) -> &[u64] {
        &self.windows
    }

    /// Returns the text itself where it is shorter than a window, as [`whole`] does.
    pub fn whole(&self) -> Option<Words> {
        self.whole
    }
}

/// Returns the windows of each sentence that is long enough, and of consecutive short ones together. Short ones that are
/// not long enough together share a window with the letters behind them, or at the end with those before.
pub fn covered(text: &str) -> Vec<Windows> {
    let mut found = Vec::new();
    let mut all: Vec<char> = Vec::new();
    // Start of what no window covers yet.
    let mut from = 0;
    for at in sentences(text) {
        let start = all.len();
        all.extend(letters_of(text.get(at).unwrap_or(text)));
        if all.len() - start >= WINDOW {
            let joined = all.get(from..from + WINDOW).filter(|_| from < start);
            found.extend(joined.and_then(windows));
            found.extend(all.get(start..).and_then(windows));
            from = all.len();
        } else if all.len() - from >= WINDOW {
            found.extend(all.get(from..).and_then(windows));
            from = all.len();
        }
    }
    if from < all.len() {
        let joined = all.len().checked_sub(WINDOW).and_then(|start| all.get(start..));
        found.extend(joined.and_then(windows));
    }
    found
}

/// Returns the windows that begin where a sentence begins, and those that end where one ends: a short sentence of another text may
/// be covered by such a window.
pub fn at_ends(text: &str) -> Vec<Windows> {
    let mut all: Vec<char> = Vec::new();
    let mut ends = vec![0];
    for at in sentences(text) {
        all.extend(letters_of(text.get(at).unwrap_or(text)));
        ends.push(all.len());
    }
    let behind = ends.iter().filter_map(|end| all.get(*end..*end + WINDOW));
    let before = ends.iter().filter_map(|end| all.get(end.checked_sub(WINDOW)?..*end));
    behind.chain(before).filter_map(windows).collect()
}

/// Returns one window after another, and one that ends where the sentence ends.
fn windows(sentence: &[char]) -> Option<Windows> {
    let mut windows = Windows::new();
    let (mut at, mut last) = (0, None);
    roll(sentence, &mut |hash| {
        if at % WINDOW == 0 {
            windows.push(hash);
        }
        (at, last) = (at + 1, Some(hash));
    });
    windows.push(last?);
    Some(windows)
}

/// Returns a text that is shorter than a window.
pub fn whole(text: &str) -> Option<Words> {
    let (mut hash, mut length) = (0, 0);
    for letter in letters(text).take(WINDOW) {
        hash = longer(hash, letter);
        length += 1;
    }
    (1..WINDOW).contains(&length).then_some((hash, length))
}

/// Passes on all words, and all consecutive words, that are shorter than a window: at most one for each letter and window length.
pub fn each_words(text: &str, mut give: impl FnMut(Words)) {
    // Those that begin at each of the last words; all end here.
    let mut open: Vec<Words> = Vec::new();
    let mut inside = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            if inside {
                open.iter().copied().for_each(&mut give);
            }
            inside = false;
            continue;
        }
        if !inside {
            open.push((0, 0));
        }
        inside = true;
        for letter in letter.to_lowercase() {
            for (hash, length) in &mut open {
                *hash = longer(*hash, letter);
                *length += 1;
            }
            open.retain(|(_, length)| *length < WINDOW);
        }
    }
    if inside {
        open.into_iter().for_each(give);
    }
}

/// Appends a letter to a hash.
fn longer(hash: u64, letter: char) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(u32::from(letter)))
}

/// Returns the letters and digits of a text, in lower case.
pub fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Returns the letters and digits of a text as a list: compiled once, while every use of [`letters`] is compiled for itself.
#[inline(never)]
fn letters_of(text: &str) -> Vec<char> {
    letters(text).collect()
}

/// Returns the hash of every window of a text, read as it is and as the content of JSON strings: a prompt of the caller's may hold
/// passages as JSON.
pub fn rolled(text: &str) -> Rolled {
    let mut found = Vec::new();
    roll(&letters_of(text), &mut |hash| found.push(hash));
    if text.contains('\\') {
        roll(&letters_of(&unescaped(text)), &mut |hash| found.push(hash));
    }
    found.sort_unstable();
    found.dedup();
    Rolled(found)
}

/// Set of window hashes. A sorted list, because it is built once per text and takes less of the engine's module than a hash table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rolled(Vec<u64>);

impl Rolled {
    /// Returns whether the text has a window.
    pub fn contains(&self, window: &u64) -> bool {
        self.0.binary_search(window).is_ok()
    }

    /// Returns the hashes, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }
}

/// Passes on the hash of every window of letters.
fn roll(letters: &[char], give: &mut dyn FnMut(u64)) {
    let leaving = (0..WINDOW).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0_u64;
    for (at, letter) in letters.iter().enumerate() {
        hash = longer(hash, *letter);
        // Nothing leaves while the window fills.
        if let Some(first) = at.checked_sub(WINDOW).and_then(|first| letters.get(first)) {
            hash = hash.wrapping_sub(leaving.wrapping_mul(u64::from(u32::from(*first))));
        }
        if at + 1 >= WINDOW {
            give(hash);
        }
    }
}

/// Reads hexadecimal digits, without the sign that `from_str_radix` would accept.
fn hexadecimal(digits: &str) -> Option<u32> {
    digits.chars().try_fold(0, |number, digit| Some(number * 16 + digit.to_digit(16)?))
}

/// Removes the escapes of JSON strings from a text.
pub fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n' | 'r' | 't' | 'b' | 'f') => plain.push(' '),
            Some('u') => {
                let rest = letters.as_str();
                if let Some((digits, behind)) = rest.split_at_checked(4)
                    && let Some(code) = hexadecimal(digits)
                {
                    plain.push(char::from_u32(code).unwrap_or(' '));
                    letters = behind.chars();
                }
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn plain(text: &str) -> String {
        letters(text).collect()
    }

    proptest! {
        #[test]
        fn a_sentence_is_found_where_its_letters_are_and_nowhere_else(
            text in "[ab .\\n]{0,90}", other in "[abAB ,\\n]{0,90}", before in "[ab ]{0,9}"
        ) {
            let there = |text: &str| {
                let windows = rolled(text);
                move |sentence: &Windows| sentence.iter().all(|window| windows.contains(window))
            };
            let around = format!("{before}\n{text}");
            prop_assert!(covered(&text).iter().all(there(&around)));
            let letters: Vec<char> = letters(&other).collect();
            let naive = letters.windows(WINDOW).map(String::from_iter);
            let of_one = |window: String| windows(&window.chars().collect::<Vec<char>>()).map(|windows| windows[0]);
            prop_assert_eq!(rolled(&other).iter().collect::<BTreeSet<u64>>(), naive.filter_map(of_one).collect());
            if covered(&text).iter().any(there(&other)) {
                let (own, other) = (plain(&text).into_bytes(), plain(&other));
                let shared = own.windows(WINDOW).any(|one| other.contains(std::str::from_utf8(one).unwrap()));
                prop_assert!(shared);
            }
        }

        #[test]
        fn a_fingerprint_holds_what_its_text_is_covered_by(text in "\\PC{0,200}") {
            let print = Fingerprint::of(&text);
            prop_assert_eq!(print.sentences().map(<[u64]>::to_vec).collect::<Vec<_>>(), covered(&text));
            prop_assert_eq!(print.windows(), covered(&text).concat());
            prop_assert_eq!(print.whole(), whole(&text));
            prop_assert_eq!(covered(&text).is_empty(), plain(&text).chars().count() < WINDOW);
        }

        #[test]
        fn words_are_those_of_up_to_a_window_of_letters(text in "[abC .]{0,60}") {
            let mut found = BTreeSet::new();
            each_words(&text, |words| _ = found.insert(words));
            let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
            let runs = (0..words.len()).flat_map(|from| (from + 1..=words.len()).map(move |end| from..end));
            let expected = runs.filter_map(|run| whole(&words[run].join(" ")));
            prop_assert_eq!(found, expected.collect::<BTreeSet<Words>>());
        }

        #[test]
        fn unescaping_undoes_json(text in "\\PC{0,80}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(unescaped(&json), format!("\"{text}\""));
        }
    }
}
