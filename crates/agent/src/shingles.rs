//! Sentences as hashes of windows of letters, so that they are found in a text however it sets them.

use std::collections::VecDeque;
use vademecum_firewall::part;
use vademecum_text::sentence::sentences;

/// Letters and digits of a window, and of the shortest sentence that is looked for. Shorter ones are looked for together
/// with their neighbours.
pub(super) const WINDOW: usize = 24;
/// The base of the rolling hash.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The windows that cover a sentence.
pub(super) type Windows = Vec<u64>;
/// Whole words that are shorter than a window together: their hash, and how many letters and digits they have.
pub(super) type Words = (u64, usize);

/// The windows of each sentence that is long enough, and of short ones that follow each other together. Short ones that are
/// not long enough together have a window with the letters behind them, or at the end with those before.
pub(super) fn covered(text: &str) -> Vec<Windows> {
    let mut found = Vec::new();
    let mut all: Vec<char> = Vec::new();
    // Where that begins which no window covers yet.
    let mut from = 0;
    for at in sentences(text) {
        let start = all.len();
        all.extend(letters(part(text, at)));
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

/// The windows that begin where a sentence begins, and that end where one ends: a short one elsewhere may have such a window.
pub(super) fn at_ends(text: &str) -> Vec<Windows> {
    let mut all: Vec<char> = Vec::new();
    let mut ends = vec![0];
    for at in sentences(text) {
        all.extend(letters(part(text, at)));
        ends.push(all.len());
    }
    let behind = ends.iter().filter_map(|end| all.get(*end..*end + WINDOW));
    let before = ends.iter().filter_map(|end| all.get(end.checked_sub(WINDOW)?..*end));
    behind.chain(before).filter_map(windows).collect()
}

/// One window behind another, and one that ends where the sentence ends.
fn windows(sentence: &[char]) -> Option<Windows> {
    let all: Vec<u64> = hashes(sentence.iter().copied()).collect();
    let last = *all.last()?;
    let mut windows: Windows = all.into_iter().step_by(WINDOW).collect();
    windows.push(last);
    Some(windows)
}

/// A text that is shorter than a window.
pub(super) fn whole(text: &str) -> Option<Words> {
    let (mut hash, mut length) = (0, 0);
    for letter in letters(text).take(WINDOW) {
        hash = longer(hash, letter);
        length += 1;
    }
    (1..WINDOW).contains(&length).then_some((hash, length))
}

/// Gives all words, and words that follow each other, that are shorter than a window: at most one for each of its letters.
pub(super) fn each_words(text: &str, mut give: impl FnMut(Words)) {
    let mut open: VecDeque<Words> = VecDeque::with_capacity(WINDOW);
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
            open.push_back((0, 0));
        }
        inside = true;
        for letter in letter.to_lowercase() {
            for (hash, length) in &mut open {
                *hash = longer(*hash, letter);
                *length += 1;
            }
            while open.front().is_some_and(|(_, length)| *length >= WINDOW) {
                open.pop_front();
            }
        }
    }
    if inside {
        open.into_iter().for_each(give);
    }
}

/// The hash of what was hashed and a letter behind it.
fn longer(hash: u64, letter: char) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(u32::from(letter)))
}

pub(super) fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The hash of every window of a text.
pub(super) fn rolled(text: &str) -> impl Iterator<Item = u64> + '_ {
    hashes(letters(text))
}

/// The hash of every window of letters.
fn hashes(letters: impl Iterator<Item = char>) -> impl Iterator<Item = u64> {
    let leaving = (0..WINDOW).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut window = VecDeque::with_capacity(WINDOW + 1);
    let mut hash = 0_u64;
    letters.filter_map(move |letter| {
        hash = longer(hash, letter);
        window.push_back(u64::from(u32::from(letter)));
        if window.len() > WINDOW
            && let Some(first) = window.pop_front()
        {
            hash = hash.wrapping_sub(leaving.wrapping_mul(first));
        }
        (window.len() == WINDOW).then_some(hash)
    })
}

/// A text without the escapes of JSON's strings.
pub(super) fn unescaped(text: &str) -> String {
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
                    && let Ok(code) = u32::from_str_radix(digits, 16)
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
