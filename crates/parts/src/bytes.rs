//! Numbers and texts in blocks, read with every bound checked: a block is verified by a hash, but whoever made the hash may lie.

/// Reads a block from its beginning. Every method returns `None` where the block ends too early or does not decode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    /// Returns whether everything was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// Takes `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// Takes one byte.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Takes a number in 7 bits a byte, the lowest first.
    pub(crate) fn number(&mut self) -> Option<u32> {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && bits > 0xf {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// Takes a number of things, each of which takes at least a byte of what follows, so that it bounds an allocation.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.0.len()).then_some(count)
    }

    /// Takes bytes behind their length.
    pub(crate) fn part(&mut self) -> Option<&'a [u8]> {
        let length = self.number()? as usize;
        self.take(length)
    }

    /// Takes a text behind its length.
    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.part()?).ok()
    }

    /// Takes a text that may be absent.
    pub(crate) fn optional(&mut self) -> Option<Option<&'a str>> {
        match self.byte()? {
            0 => Some(None),
            1 => Some(Some(self.text()?)),
            _ => None,
        }
    }

    /// Takes a floating-point number.
    pub(crate) fn float(&mut self) -> Option<f32> {
        Some(f32::from_le_bytes(self.array()?)).filter(|number| number.is_finite())
    }
}

/// Writes what [`Bytes`] reads.
#[cfg(any(feature = "write", test))]
pub(crate) trait Put {
    /// Writes a number.
    fn number(&mut self, value: u32);
    /// Writes bytes behind their length.
    fn part(&mut self, bytes: &[u8]);
    /// Writes a text that may be absent.
    fn optional(&mut self, text: Option<&str>);
}

#[cfg(any(feature = "write", test))]
impl Put for Vec<u8> {
    fn number(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
    }

    fn part(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.extend_from_slice(bytes);
    }

    fn optional(&mut self, text: Option<&str>) {
        self.push(u8::from(text.is_some()));
        if let Some(text) = text {
            self.part(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers in prop::collection::vec(any::<u32>(), 0..50), text in prop::option::of("\\PC{0,20}")) {
            let mut written = Vec::new();
            numbers.iter().for_each(|number| written.number(*number));
            written.optional(text.as_deref());
            let mut read = Bytes(&written);
            for number in numbers {
                prop_assert_eq!(read.number(), Some(number));
            }
            prop_assert_eq!(read.optional(), Some(text.as_deref()));
            prop_assert!(read.is_empty());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut read = Bytes(&bytes);
            while read.number().is_some() {}
            let mut read = Bytes(&bytes);
            while read.text().is_some() {}
            let mut read = Bytes(&bytes);
            prop_assert!(read.count().is_none_or(|count| count < bytes.len()));
        }
    }
}
