//! Maps and sets in sorted vectors. The standard library's B-tree is compiled for every type, several
//! kilobytes each; a sorted vector takes a tenth of that and is as fast for hundreds of items. Maps of
//! thousands of items in random order use the B-tree.

use std::borrow::Borrow;

/// Sorts and deduplicates.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.into_iter().collect();
    // Often it is in order, and sorting is compiled for size.
    if !list.is_sorted() {
        list.sort_unstable();
    }
    list.dedup();
    list
}

/// A map in a sorted vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map<K, V>(Vec<(K, V)>);

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> Map<K, V> {
    /// Returns the value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.pair(key).map(|(_, value)| value)
    }

    /// Returns the stored key and its value.
    pub fn pair<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&(K, V)>
    where
        K: Borrow<Q>,
    {
        self.0.get(self.position(key).ok()?)
    }

    /// Inserts a value, replacing any previous one.
    pub fn insert(&mut self, key: K, value: V) {
        match self.position(&key) {
            Ok(at) => {
                if let Some(pair) = self.0.get_mut(at) {
                    pair.1 = value;
                }
            }
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    /// Returns the value of a key, inserting the default if there is none.
    pub fn entry(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let at = self.position(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, V::default()));
            at
        });
        // The index was found or inserted above.
        #[allow(clippy::indexing_slicing)]
        &mut self.0[at].1
    }

    /// Iterates over keys and values, in order of keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Iterates over the keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// Iterates over the values, in order of keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    fn position<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(other, _)| other.borrow().cmp(key))
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::default();
        pairs.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn a_map_agrees_with_a_btree_map(pairs in prop::collection::vec((0u8..40, any::<u16>()), 0..200), more in 0u8..50) {
            let (mut ours, mut theirs): (Map<u8, u16>, BTreeMap<u8, u16>) = (pairs.iter().copied().collect(), pairs.iter().copied().collect());
            prop_assert_eq!(ours.get(&more), theirs.get(&more));
            *ours.entry(more) ^= 1;
            *theirs.entry(more).or_default() ^= 1;
            prop_assert!(ours.iter().eq(theirs.iter()) && ours.keys().eq(theirs.keys()) && ours.values().eq(theirs.values()));
            prop_assert_eq!(ours.into_iter().collect::<Vec<_>>(), theirs.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn a_set_agrees_with_a_btree_set(items in prop::collection::vec(0u8..40, 0..200)) {
            prop_assert_eq!(set(items.clone()), items.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
        }
    }
}
