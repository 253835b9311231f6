//! Sorting lists that are short. The standard library's sort is compiled anew for every type, several kilobytes each in a
//! module that a page waits for; this one once. It is for lists of hundreds: what is sorted by the thousand, or in every
//! search, keeps the standard library's.

use std::cmp::Ordering;

/// Sorts as `slice::sort_by` does: what is equal stays in order.
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let places = ordered(list.len(), &mut |one, other| match (list.get(one), list.get(other)) {
        (Some(one), Some(other)) => compare(one, other),
        _ => Ordering::Equal,
    });
    arrange(places, &mut |one, other| list.swap(one, other));
}

/// Sorts as `slice::sort_by_key` does.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(list, |one, other| key(one).cmp(&key(other)));
}

/// Which of `count` places comes first, which second, …
fn ordered(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

/// Brings everything to its place, going round each circle of what takes another's.
fn arrange(mut places: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..places.len() {
        let mut at = start;
        while let Some(place) = places.get_mut(at) {
            let from = std::mem::replace(place, at);
            if from == start || from == at {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_sorted_as_the_standard_library_sorts_it() {
        let mut state = 7u32;
        for length in 0..200 {
            let list: Vec<(u32, usize)> = (0..length)
                .map(|at| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 28, at)
                })
                .collect();
            let (mut ours, mut theirs) = (list.clone(), list);
            sort_by_key(&mut ours, |one| one.0);
            theirs.sort_by_key(|one| one.0);
            assert_eq!(ours, theirs);
        }
    }
}
