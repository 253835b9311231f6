//! Parses decimal numbers: by the standard library natively, by the host in a browser, because the tables for
//! exact parsing would be a fortieth of the engine's size.

use std::sync::OnceLock;

/// Parses a decimal number.
pub type Reader = fn(&str) -> f64;

static HOST: OnceLock<Reader> = OnceLock::new();

/// Sets the host's parser. Later calls have no effect.
pub fn use_host(reader: Reader) {
    let _ = HOST.set(reader);
}

/// Parses a finite decimal number; `None` for anything else.
pub fn number(text: &str) -> Option<f64> {
    // Other forms, such as `0x10`, `Infinity` and the empty string, are parsed differently by different
    // hosts.
    let is_decimal = text.bytes().all(|sign| matches!(sign, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let read = || HOST.get().map_or_else(|| by_library(text), |host| Some(host(text)));
    is_decimal.then(read).flatten().filter(|number| number.is_finite() && !text.is_empty())
}

#[cfg(not(target_arch = "wasm32"))]
fn by_library(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Only reached before `use_host`, which a module calls when it starts.
#[cfg(target_arch = "wasm32")]
fn by_library(_: &str) -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_decimal_numbers_are_parsed() {
        let read = ["1", "-2.5", "+3", "1e3", ".5", "5.", "0.30000000000000004"].map(number);
        assert_eq!(read, [1.0, -2.5, 3.0, 1000.0, 0.5, 5.0, 0.1 + 0.2].map(Some));
        for text in ["", "0x10", "inf", "Infinity", "NaN", "1 2", "1,5", "--1", "1e999", "."] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
