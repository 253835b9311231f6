//! A growable bitmap, for sets of rows and documents.

/// A set of the numbers `0..len`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// Creates a bitmap of `len` unset bits.
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// Creates a bitmap of `len` set bits.
    pub fn full(len: usize) -> Self {
        let mut bits = Self { words: vec![u64::MAX; len.div_ceil(64)], len };
        bits.trim();
        bits
    }

    /// Returns the number of bits, set or unset.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether `len` is 0.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether bit `at` is set; false beyond the end.
    pub fn contains(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Sets bit `at`, growing the bitmap if needed. Returns whether it was unset.
    pub fn insert(&mut self, at: usize) -> bool {
        self.grow(at + 1);
        let Some(word) = self.words.get_mut(at / 64) else { return false };
        let fresh = *word >> (at % 64) & 1 == 0;
        *word |= 1 << (at % 64);
        fresh
    }

    /// Sets bits below [`Bitmap::len`]; others are left out. Unlike [`Bitmap::insert`], it never grows.
    pub fn insert_all(&mut self, all: &[u32]) {
        for at in all.iter().filter(|at| (**at as usize) < self.len) {
            if let Some(word) = self.words.get_mut(*at as usize / 64) {
                *word |= 1 << (at % 64);
            }
        }
    }

    /// Clears bit `at`.
    pub fn remove(&mut self, at: usize) {
        if let Some(word) = self.words.get_mut(at / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    /// Extends the bitmap to `len` unset bits; never shrinks it.
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            self.len = len;
            self.words.resize(len.div_ceil(64), 0);
        }
    }

    /// Returns the number of set bits.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Intersects with `other`; bits beyond its end count as unset.
    pub fn intersect(&mut self, other: &Self) {
        let theirs = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Unites with `other`.
    pub fn unite(&mut self, other: &Self) {
        self.grow(other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Clears the bits that are set in `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    /// Inverts every bit.
    pub fn invert(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
    }

    /// Iterates over the set bits, ascending.
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

    /// Returns the bits as 64-bit words, least significant bit first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Creates a bitmap from the words of [`Bitmap::words`]; bits from `len` on are dropped.
    pub fn from_words(mut words: Vec<u64>, len: usize) -> Self {
        words.resize(len.div_ceil(64), 0);
        let mut bits = Self { words, len };
        bits.trim();
        bits
    }

    /// Clears the bits beyond the end, which every method relies on.
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
        fn a_bitmap_behaves_like_a_set(a in prop::collection::btree_set(0usize..200, 0..40), b in prop::collection::btree_set(0usize..200, 0..40)) {
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
            let mut some = Bitmap::new(150);
            some.insert_all(&a.iter().map(|at| *at as u32).collect::<Vec<u32>>());
            prop_assert_eq!(listed(&some), a.iter().copied().filter(|at| *at < 150).collect::<BTreeSet<_>>());
            prop_assert_eq!(some.count(), listed(&some).len());
            prop_assert_eq!(Bitmap::from_words(not.words().to_vec(), 200), not);
        }
    }
}
