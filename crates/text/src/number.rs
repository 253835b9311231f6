//! Numbers that stand in a text. Natively the standard library reads them, in a browser the browser: reading them exactly
//! takes tables, a fortieth of what a page waits for.

use std::sync::OnceLock;

/// Reads a decimal number.
pub type Reader = fn(&str) -> f64;

static HOST: OnceLock<Reader> = OnceLock::new();

/// Has numbers read by the host. The first reader that is given stays.
pub fn use_host(reader: Reader) {
    let _ = HOST.set(reader);
}

/// The number that `text` is; none where it is something else, or infinite.
pub fn number(text: &str) -> Option<f64> {
    // Beyond these signs, hosts agree on little: `0x10`, `Infinity`, nothing at all.
    let is_decimal = text.bytes().all(|sign| matches!(sign, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let read = || HOST.get().map_or_else(|| by_library(text), |host| Some(host(text)));
    is_decimal.then(read).flatten().filter(|number| number.is_finite() && !text.is_empty())
}

#[cfg(not(target_arch = "wasm32"))]
fn by_library(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Only before `use_host`, which is called when a module starts.
#[cfg(target_arch = "wasm32")]
fn by_library(_: &str) -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_number_is_read_and_nothing_else() {
        let read = ["1", "-2.5", "+3", "1e3", ".5", "5.", "0.30000000000000004"].map(number);
        assert_eq!(read, [1.0, -2.5, 3.0, 1000.0, 0.5, 5.0, 0.1 + 0.2].map(Some));
        for text in ["", "0x10", "inf", "Infinity", "NaN", "1 2", "1,5", "--1", "1e999", "."] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
