//! Addresses of files below that of their folder.

use std::fmt::Write;

/// Signs that need no code in the path of an address, beside letters and digits; those that JavaScript's `encodeURIComponent` keeps.
const PLAIN: &str = "-_.!~*'()";

/// Returns the address of a file below that of its folder, by the path of the file. An `index.html` has the address of its folder.
///
/// ```
/// use vademecum_files::address_below;
///
/// assert_eq!(address_below("https://x.example/docs/", "a b/ü#1.md"), "https://x.example/docs/a%20b/%C3%BC%231.md");
/// assert_eq!(address_below("/docs", "deep/index.html"), "/docs/deep/");
/// ```
pub fn address_below(base: &str, file: &str) -> String {
    let folder = file.strip_suffix("index.html").filter(|rest| rest.is_empty() || rest.ends_with('/'));
    let mut address = format!("{}/", base.trim_end_matches('/'));
    for byte in folder.unwrap_or(file).bytes() {
        let sign = char::from(byte);
        if byte.is_ascii() && (sign.is_alphanumeric() || sign == '/' || PLAIN.contains(sign)) {
            address.push(sign);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}
