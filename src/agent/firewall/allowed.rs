//! The addresses that an answer may hold: those that stand in its evidence.

use super::address;
use super::screen::LONGEST;
use crate::document::Hit;
use std::collections::HashSet;
use std::rc::Rc;

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
            addresses.extend(address::all(text).map(str::to_owned));
            addresses.extend(targets(text).map(str::to_owned));
            addresses.extend(chunk.url.clone());
            let values = chunk.metadata.values().filter_map(|value| value.as_str());
            addresses.extend(values.flat_map(address::all).map(str::to_owned));
        }
        // What could end a link, or begin something else within one, is no address to write down.
        addresses.retain(|one| {
            one.len() <= LONGEST && !one.contains(|sign: char| address::ends_word(sign) || sign == '\\')
        });
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

    /// Whether this very address is allowed.
    pub(super) fn holds(&self, address: &str) -> bool {
        self.addresses.contains(address)
    }

    /// Whether a link may lead there. What balances no bracket ends elsewhere than it seems to.
    pub(super) fn leads_to(&self, target: &str) -> bool {
        self.holds(target) && target.matches('(').count() == target.matches(')').count()
    }

    /// Whether a text in brackets is a citation.
    pub(super) fn cites(&self, inner: &str) -> bool {
        let number = !inner.is_empty() && inner.len() <= 3 && inner.bytes().all(|byte| byte.is_ascii_digit());
        number || self.ids.contains(inner)
    }
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
