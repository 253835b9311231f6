//! Where to cut: a section that needs several chunks is cut into about equal ones, at the best places near.

use super::units::{Join, Unit};
use std::ops::Range;
use vademecum_util::within::Within;

impl Join {
    /// How far from an even cut, in hundredths of a chunk, this place is as good as a paragraph's end right there.
    fn penalty(self) -> usize {
        match self {
            Self::Block => 0,
            Self::Blank => 10,
            Self::Line => 15,
            Self::Word => 50,
            Self::Letter => 70,
            Self::Heading => 90,
        }
    }
}

/// Cuts a section's parts into runs that cost at most `room`, each beginning with up to `overlap` tokens of the one
/// before. A run that begins with part `n` costs `extra(n)` more.
pub(super) fn cut(
    units: &[Unit],
    room: usize,
    overlap: usize,
    extra: &dyn Fn(&Unit) -> usize,
) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut remaining: usize = units.iter().map(|unit| unit.cost).sum();
    let mut at = 0;
    while let Some(next) = units.get(at) {
        let least = runs.last().map_or(at, |run| run.start + 1).min(at);
        let (start, used) = begin(units, least..at, next.cost, room, overlap, extra);
        let capacity = room.saturating_sub(used).max(1);
        let end = if remaining <= capacity {
            units.len()
        } else {
            at + take(units.within(at..), remaining, capacity)
        };
        remaining -= units.within(at..end).iter().map(|unit| unit.cost).sum::<usize>();
        runs.push(start..end);
        at = end;
    }
    runs
}

/// The part a run begins with, so that it repeats no more than `overlap` and the part at `repeated.end` still fits,
/// and what is taken of the room by then.
fn begin(
    units: &[Unit],
    repeated: Range<usize>,
    next: usize,
    room: usize,
    overlap: usize,
    extra: &dyn Fn(&Unit) -> usize,
) -> (usize, usize) {
    let at = repeated.end;
    let base = |start: usize| units.get(start).map_or(0, extra);
    let (mut best, mut sum) = ((at, base(at)), 0);
    for (start, unit) in units.iter().enumerate().take(at).skip(repeated.start).rev() {
        sum += unit.cost;
        if sum > overlap {
            break;
        }
        let used = sum + base(start);
        // Half a word, or half a sentence, is no context.
        let whole = unit.join != Join::Letter && unit.join != Join::Word;
        if whole && used + next <= room {
            best = (start, used);
        }
    }
    best
}

/// How many of `units` the next chunk takes, where not all of them fit.
fn take(units: &[Unit], remaining: usize, capacity: usize) -> usize {
    let target = remaining.div_ceil(remaining.div_ceil(capacity).max(2));
    let mut best = (usize::MAX, 1);
    let mut sum = 0;
    for (index, (unit, next)) in units.iter().zip(units.iter().skip(1)).enumerate() {
        sum += unit.cost;
        if sum > capacity {
            break;
        }
        // A chunk takes half of its share at least: that bounds both their number and the work.
        let small = if sum * 2 < target { 4 * target } else { 0 };
        let score = sum.abs_diff(target) + next.join.penalty() * target / 100 + small;
        if score <= best.0 {
            best = (score, index + 1);
        }
    }
    best.1
}
