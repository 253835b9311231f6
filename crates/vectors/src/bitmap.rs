//! A set of small numbers, one bit each: which rows are deleted, which documents a filter wants.

/// Bits `0..len`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// `len` bits, none of them set.
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// `len` bits, all of them set.
    pub fn full(len: usize) -> Self {
        let mut bits = Self { words: vec![u64::MAX; len.div_ceil(64)], len };
        bits.trim();
        bits
    }

    /// How many bits there are, set or not.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether bit `at` is set; one beyond the end is not.
    pub fn contains(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Sets bit `at`, and says whether it was unset. The set grows to hold it.
    pub fn insert(&mut self, at: usize) -> bool {
        self.grow(at + 1);
        let Some(word) = self.words.get_mut(at / 64) else { return false };
        let fresh = *word >> (at % 64) & 1 == 0;
        *word |= 1 << (at % 64);
        fresh
    }

    /// Clears bit `at`.
    pub fn remove(&mut self, at: usize) {
        if let Some(word) = self.words.get_mut(at / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    /// Makes room for `len` bits, the new ones unset; never makes it smaller.
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            self.len = len;
            self.words.resize(len.div_ceil(64), 0);
        }
    }

    /// How many bits are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Keeps the bits that are set in `other` too; what it lacks counts as unset.
    pub fn intersect(&mut self, other: &Self) {
        let theirs = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Adds the bits of `other`.
    pub fn unite(&mut self, other: &Self) {
        self.grow(other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Drops the bits that are set in `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    /// Turns every bit over.
    pub fn invert(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
    }

    /// The set bits, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    at * 64 + bit
                })
            })
        })
    }

    /// Its words, 64 bits each, the first bit lowest.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// From words as [`Bitmap::words`] gives them; bits from `len` on are dropped.
    pub fn from_words(mut words: Vec<u64>, len: usize) -> Self {
        words.resize(len.div_ceil(64), 0);
        let mut bits = Self { words, len };
        bits.trim();
        bits
    }

    /// No bit beyond the end is ever set, so that counting needs no care.
    fn trim(&mut self) {
        if let Some(last) = self.words.last_mut().filter(|_| !self.len.is_multiple_of(64)) {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }
}

impl FromIterator<usize> for Bitmap {
    fn from_iter<T: IntoIterator<Item = usize>>(bits: T) -> Self {
        let mut set = Self::default();
        bits.into_iter().for_each(|at| {
            set.insert(at);
        });
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_behaves_as_a_set_of_numbers(a in prop::collection::btree_set(0usize..200, 0..40), b in prop::collection::btree_set(0usize..200, 0..40)) {
            let bits = |set: &BTreeSet<usize>| { let mut bits: Bitmap = set.iter().copied().collect(); bits.grow(200); bits };
            let listed = |bits: &Bitmap| bits.iter().collect::<BTreeSet<_>>();
            let (mut both, mut either, mut only, mut not) = (bits(&a), bits(&a), bits(&a), bits(&a));
            both.intersect(&bits(&b));
            either.unite(&bits(&b));
            only.subtract(&bits(&b));
            not.invert();
            prop_assert_eq!(listed(&both), &a & &b);
            prop_assert_eq!(listed(&either), &a | &b);
            prop_assert_eq!(listed(&only), &a - &b);
            prop_assert_eq!(not.count(), 200 - a.len());
            prop_assert_eq!(Bitmap::from_words(not.words().to_vec(), 200), not);
        }
    }
}
