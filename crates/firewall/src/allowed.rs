//! The addresses that an answer may hold: those that stand in its evidence.

use super::address;
use super::address::LONGEST;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_protocol::document::Hit;

/// The most addresses that are taken from one passage, the first ones: who can choose among many spells with them.
const MOST: usize = 8;

/// Addresses, letter by letter, and the ids that are cited.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    addresses: Rc<HashSet<String>>,
    ids: Rc<HashSet<String>>,
}

impl Allowed {
    /// Those of the documents in the evidence that nothing is suspected of.
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
                // What could end a link, or begin something else within one, is no address to write down.
                let is_plain = !one.contains(|sign: char| address::ends_word(sign) || sign == '\\');
                if own.len() < MOST && one.len() <= LONGEST && is_plain && !own.contains(&one) {
                    own.push(one);
                }
            }
            addresses.extend(own.into_iter().map(str::to_owned));
        }
        let ids = evidence.iter().map(|hit| hit.chunk.doc_id.clone()).collect();
        Self { addresses: Rc::new(addresses), ids: Rc::new(ids) }
    }

    /// Adds those of a text that the user wrote.
    #[must_use]
    pub fn and(mut self, text: &str) -> Self {
        let addresses = Rc::make_mut(&mut self.addresses);
        addresses.extend(address::all(text).map(str::to_owned));
        self
    }

    /// Whether this very address may stand in a text, where a reader may make a link of it.
    pub(super) fn holds(&self, address: &str) -> bool {
        self.addresses.contains(address) && leads(address) != Leads::Nowhere
    }

    /// Whether this very address may stand in angle brackets, and is a link there to every reader.
    pub(super) fn stands_in_brackets(&self, address: &str) -> bool {
        self.addresses.contains(address) && (leads(address) == Leads::ByScheme || is_mailbox(address))
    }

    /// Whether a link may lead there. What balances no bracket ends elsewhere than it seems to, and what names no scheme leads
    /// wherever the page lies that shows it.
    pub(super) fn leads_to(&self, target: &str) -> bool {
        self.addresses.contains(target)
            && leads(target) == Leads::ByScheme
            && target.matches('(').count() == target.matches(')').count()
    }

    /// Whether a text in brackets is a citation.
    pub(super) fn cites(&self, inner: &str) -> bool {
        let number = !inner.is_empty() && inner.len() <= 3 && inner.bytes().all(|byte| byte.is_ascii_digit());
        number || self.ids.contains(inner)
    }
}

/// Where an address leads.
#[derive(Debug, PartialEq, Eq)]
enum Leads {
    /// By `http`, `https` or `mailto`, in full.
    ByScheme,
    /// By one of these, once a reader has added it.
    ByReader,
    /// Where no link may lead.
    Nowhere,
}

fn leads(address: &str) -> Leads {
    // Browsers take no notice of these within an address.
    let plain: String = address::plain(address).chars().filter(|letter| *letter > ' ').collect();
    match address::scheme(&plain) {
        Some("http" | "https") => {
            let behind = plain.split_once(':').map_or("", |(_, behind)| behind);
            let host = behind.strip_prefix("//").unwrap_or_default();
            if host.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[') {
                Leads::ByScheme
            } else {
                Leads::Nowhere
            }
        }
        Some("mailto") => Leads::ByScheme,
        Some(_) => Leads::Nowhere,
        None if plain.starts_with('/') => Leads::Nowhere,
        None => Leads::ByReader,
    }
}

/// Whether this is an address to write to, plainly enough for every reader.
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

/// An address that a page may make a link of as it is: a script's, a file's and other schemes than `http`, `https` and `mailto`
/// are none, nor is one whose letters look like those of such a scheme.
pub fn harmless(address: &str) -> bool {
    let plain: String = address::plain(address).chars().filter(|letter| *letter > ' ').collect();
    vademecum_protocol::address::harmless(address)
        && matches!(address::scheme(&plain), None | Some("http" | "https" | "mailto"))
}

/// Where the links of a Markdown text lead.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| {
        let rest = rest.get(..rest.floor_char_boundary(LONGEST))?;
        let target = rest.split([' ', '\n', '\t']).next()?;
        let end = target.rfind(')').unwrap_or(target.len());
        // `(a_(b))`: up to the bracket that is one too many.
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
