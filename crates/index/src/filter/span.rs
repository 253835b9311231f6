//! Closed ranges of numbers, and of dates in milliseconds.

/// The numbers from `low` to `high`, inclusive. Open ends are expressed by the next representable number, so
/// that one comparison implements all operators.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Span {
    /// The range of a single number.
    pub(super) fn point(at: f64) -> Self {
        Self { low: at, high: at }
    }

    /// All numbers above the range.
    pub(super) fn above(self) -> Self {
        Self { low: self.high.next_up(), high: f64::INFINITY }
    }

    /// All numbers below the range.
    pub(super) fn below(self) -> Self {
        Self { low: f64::NEG_INFINITY, high: self.low.next_down() }
    }

    /// All numbers in the range and above.
    pub(super) fn onwards(self) -> Self {
        Self { low: self.low, high: f64::INFINITY }
    }

    /// All numbers in the range and below.
    pub(super) fn backwards(self) -> Self {
        Self { low: f64::NEG_INFINITY, high: self.high }
    }

    /// From the beginning of this range to the end of the other; empty if that comes first.
    pub(super) fn through(self, other: Self) -> Self {
        Self { low: self.low, high: other.high }
    }
}

/// A union of ranges.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Spans(Vec<Span>);

impl Spans {
    /// Returns whether a number is in one of the ranges.
    pub(super) fn contains(&self, number: f64) -> bool {
        let after = self.0.partition_point(|span| span.low <= number);
        self.0.get(after.wrapping_sub(1)).is_some_and(|span| number <= span.high)
    }

    /// Returns whether the union is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Span> for Spans {
    /// Sorts and joins overlapping ranges, so that a binary search finds the only candidate.
    fn from_iter<T: IntoIterator<Item = Span>>(spans: T) -> Self {
        let mut sorted: Vec<Span> = spans.into_iter().filter(|span| span.low <= span.high).collect();
        vademecum_util::small_sort::sort_by(&mut sorted, |a, b| a.low.total_cmp(&b.low));
        let mut joined: Vec<Span> = Vec::with_capacity(sorted.len());
        for span in sorted {
            match joined.last_mut().filter(|last| span.low <= last.high) {
                Some(last) => last.high = last.high.max(span.high),
                None => joined.push(span),
            }
        }
        Self(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_number_is_in_the_set_when_it_is_in_one_of_the_spans(
            ends in prop::collection::vec((-20i32..20, -20i32..20), 0..8), number in -21i32..21,
        ) {
            let spans: Vec<Span> =
                ends.iter().map(|(low, high)| Span { low: f64::from(*low), high: f64::from(*high) }).collect();
            let number = f64::from(number);
            let naive = spans.iter().any(|span| span.low <= number && number <= span.high);
            prop_assert_eq!(Spans::from_iter(spans).contains(number), naive);
        }
    }

    #[test]
    fn infinities_and_extreme_numbers_are_handled() {
        let above: Spans = [Span::point(f64::MAX).above()].into_iter().collect();
        let not_zero: Spans = [Span::point(-0.0).above()].into_iter().collect();
        assert!(!above.contains(f64::MAX));
        assert!(!not_zero.contains(0.0) && not_zero.contains(f64::MIN_POSITIVE));
    }
}
