//! The addresses that an answer may contain: those in its evidence.

use super::address;
use super::address::MAX_UNIT;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_protocol::document::Hit;

/// Maximum number of addresses taken from one passage, in order. An attacker whose passage could offer many could encode data in
/// the choice.
const MAX_PER_PASSAGE: usize = 8;

/// Allowed addresses, compared exactly, and the ids of documents that may be cited.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    addresses: Rc<HashSet<String>>,
    ids: Rc<HashSet<String>>,
}

impl Allowed {
    /// Collects the addresses of all documents in the evidence without a suspicious passage.
    pub fn of(evidence: &[Hit], is_suspicious: impl Fn(&Hit) -> bool) -> Self {
        let of = |hit: &Hit| (hit.chunk.collection.clone(), hit.chunk.doc_id.clone());
        let suspected: HashSet<_> = evidence.iter().filter(|hit| is_suspicious(hit)).map(of).collect();
        let mut addresses = HashSet::new();
        for hit in evidence.iter().filter(|hit| !suspected.contains(&of(hit))) {
            let chunk = &hit.chunk;
            let text = chunk.text.as_str();
            let values = chunk.metadata.values().filter_map(|value| value.as_str());
            let all = chunk.url.as_deref().into_iter().chain(address::all(text)).chain(targets(text));
            let mut own: Vec<&str> = Vec::new();
            for one in all.chain(values.flat_map(address::all)) {
                // A character that ends a link, or begins something else within one, makes an address unsafe to print.
                let is_plain = !one.contains(|sign: char| address::ends_word(sign) || sign == '\\');
                if own.len() < MAX_PER_PASSAGE && one.len() <= MAX_UNIT && is_plain && !own.contains(&one) {
                    own.push(one);
                }
            }
            addresses.extend(own.into_iter().map(str::to_owned));
        }
        let ids = evidence.iter().map(|hit| hit.chunk.doc_id.clone()).collect();
        Self { addresses: Rc::new(addresses), ids: Rc::new(ids) }
    }

    /// Adds the addresses in a text that the user wrote.
    #[must_use]
    pub fn and(mut self, text: &str) -> Self {
        let addresses = Rc::make_mut(&mut self.addresses);
        addresses.extend(address::all(text).map(str::to_owned));
        self
    }

    /// Returns whether exactly this address may appear in plain text, where a reader may link it.
    pub(super) fn contains(&self, address: &str) -> bool {
        self.addresses.contains(address) && resolution(address) != Resolution::Invalid
    }

    /// Returns whether exactly this address may appear in angle brackets, where every reader links it.
    pub(super) fn allows_in_brackets(&self, address: &str) -> bool {
        self.addresses.contains(address)
            && (resolution(address) == Resolution::Complete || is_mailbox(address))
    }

    /// Returns whether a Markdown link may have this target. Requires balanced parentheses, without which readers disagree where
    /// the link ends, and a scheme, without which the target depends on the page that shows it.
    pub(super) fn allows_target(&self, target: &str) -> bool {
        self.addresses.contains(target)
            && resolution(target) == Resolution::Complete
            && target.matches('(').count() == target.matches(')').count()
    }

    /// Returns whether a text in square brackets is a citation.
    pub(super) fn cites(&self, inner: &str) -> bool {
        let number = !inner.is_empty() && inner.len() <= 3 && inner.bytes().all(|byte| byte.is_ascii_digit());
        number || self.ids.contains(inner)
    }
}

/// How an address resolves.
#[derive(Debug, PartialEq, Eq)]
enum Resolution {
    /// Complete, with `http`, `https` or `mailto`.
    Complete,
    /// Without a scheme; a reader adds one.
    WithoutScheme,
    /// Not a valid link target.
    Invalid,
}

fn resolution(address: &str) -> Resolution {
    // Browsers ignore white space and control characters within an address.
    let plain: String = address::plain(address).chars().filter(|letter| *letter > ' ').collect();
    match address::scheme(&plain) {
        Some("http" | "https") => {
            let after = plain.split_once(':').map_or("", |(_, after)| after);
            let host = after.strip_prefix("//").unwrap_or_default();
            if host.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[') {
                Resolution::Complete
            } else {
                Resolution::Invalid
            }
        }
        Some("mailto") => Resolution::Complete,
        Some(_) => Resolution::Invalid,
        None if plain.starts_with('/') => Resolution::Invalid,
        None => Resolution::WithoutScheme,
    }
}

/// Returns whether this is a simple email address that every reader recognises.
fn is_mailbox(address: &str) -> bool {
    let is_plain = |text: &str, signs: &str| {
        text.starts_with(|sign: char| sign.is_ascii_alphanumeric())
            && text.chars().all(|sign| sign.is_ascii_alphanumeric() || signs.contains(sign))
    };
    address.split_once('@').is_some_and(|(user, host)| {
        let mut labels = host.split('.');
        is_plain(user, "._+-") && labels.all(|label| is_plain(label, "-") && !label.ends_with('-'))
    })
}

/// Returns whether a page may link an address as it is. Accepts `http`, `https`, `mailto` and addresses without a scheme; rejects
/// every other scheme (scripts, files), also one written in look-alike characters.
pub fn harmless(address: &str) -> bool {
    let plain: String = address::plain(address).chars().filter(|letter| *letter > ' ').collect();
    vademecum_protocol::address::harmless(address)
        && matches!(address::scheme(&plain), None | Some("http" | "https" | "mailto"))
}

/// Iterates over the targets of the links in a Markdown text.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| {
        let rest = rest.get(..rest.floor_char_boundary(MAX_UNIT))?;
        let target = rest.split([' ', '\n', '\t']).next()?;
        let end = target.rfind(')').unwrap_or(target.len());
        // `(a_(b))` ends at the first unbalanced parenthesis.
        let mut depth = 0i32;
        let first = target.char_indices().find(|(_, sign)| {
            depth += i32::from(*sign == '(') - i32::from(*sign == ')');
            depth < 0
        });
        let target = target.get(..first.map_or(end, |(at, _)| at))?;
        let bare = target.strip_prefix('<').and_then(|target| target.strip_suffix('>')).unwrap_or(target);
        (!bare.is_empty()).then_some(bare)
    })
}
