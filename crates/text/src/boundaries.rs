//! Chooses chunk boundaries: a section that needs several chunks is split into chunks of similar size,
//! preferring good boundaries.

use super::units::{Join, Unit};
use std::ops::Range;
use vademecum_util::within::Within;

impl Join {
    /// Returns the penalty of a boundary, as a distance from an even split in percent of a chunk.
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

/// Splits a section's units into runs that cost at most `room` each, including up to `overlap` tokens
/// repeated from the previous run. A run that begins with unit `n` has the additional cost `extra(n)`.
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

/// Returns the first unit of a run and the cost of its overlap: at most `overlap` tokens are repeated, and
/// the unit at `repeated.end` still fits.
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
        // A partial word or sentence is no useful context.
        let whole = unit.join != Join::Letter && unit.join != Join::Word;
        if whole && used + next <= room {
            best = (start, used);
        }
    }
    best
}

/// Returns the number of units in the next chunk, if not all of them fit.
fn take(units: &[Unit], remaining: usize, capacity: usize) -> usize {
    let target = remaining.div_ceil(remaining.div_ceil(capacity).max(2));
    let mut best = (usize::MAX, 1);
    let mut sum = 0;
    for (index, (unit, next)) in units.iter().zip(units.iter().skip(1)).enumerate() {
        sum += unit.cost;
        if sum > capacity {
            break;
        }
        // A chunk gets at least half of its share, which bounds both the number of chunks and the work.
        let small = if sum * 2 < target { 4 * target } else { 0 };
        let score = sum.abs_diff(target) + next.join.penalty() * target / 100 + small;
        if score <= best.0 {
            best = (score, index + 1);
        }
    }
    best.1
}
