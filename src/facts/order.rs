//! The order in which facts are computed: each after the facts on which it rests.

use std::collections::BTreeSet;

/// Numbers in an order in which each comes after all that it needs, otherwise as small as can be first; and the circles,
/// each beginning with its smallest number. What stands in a circle, or needs something in one, is in no order.
pub(super) fn sort(needs: &[BTreeSet<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut needed_by = vec![Vec::new(); needs.len()];
    let mut open: Vec<usize> = needs.iter().map(BTreeSet::len).collect();
    for (at, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|need| needed_by[*need].push(at));
    }
    let mut ready: BTreeSet<usize> = (0..needs.len()).filter(|at| open[*at] == 0).collect();
    let mut sorted = Vec::with_capacity(needs.len());
    while let Some(at) = ready.pop_first() {
        sorted.push(at);
        for user in &needed_by[at] {
            open[*user] -= 1;
            if open[*user] == 0 {
                ready.insert(*user);
            }
        }
    }
    let left: BTreeSet<usize> = (0..needs.len()).filter(|at| open[*at] > 0).collect();
    (sorted, circles(needs, left))
}

/// One circle for each set of facts that need each other.
fn circles(needs: &[BTreeSet<usize>], mut left: BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut circles = Vec::new();
    while let Some(first) = left.first().copied() {
        // every one that is left needs another that is left: walk until a step repeats
        let mut walk = vec![first];
        let circle = loop {
            let last = *walk.last().expect("starts with one");
            match needs[last].iter().find(|need| left.contains(need)) {
                None => break None,
                Some(next) => match walk.iter().position(|seen| seen == next) {
                    Some(start) => break Some(walk.split_off(start)),
                    None => walk.push(*next),
                },
            }
        };
        match circle {
            Some(mut circle) => {
                circle.iter().for_each(|at| {
                    left.remove(at);
                });
                let smallest = circle.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(i, _)| i);
                circle.rotate_left(smallest);
                circles.push(circle);
            }
            // it only needed a circle that is told already
            None => walk.iter().for_each(|at| {
                left.remove(at);
            }),
        }
    }
    circles.sort();
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(needs: &[&[usize]]) -> (Vec<usize>, Vec<Vec<usize>>) {
        sort(&needs.iter().map(|needs| needs.iter().copied().collect()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_needed_comes_first() {
        assert_eq!(sorted(&[&[], &[], &[]]), (vec![0, 1, 2], vec![]));
        assert_eq!(sorted(&[&[2], &[], &[1]]), (vec![1, 2, 0], vec![]));
        assert_eq!(sorted(&[&[1, 2], &[2], &[]]), (vec![2, 1, 0], vec![]));
    }

    #[test]
    fn circles_are_named_once() {
        assert_eq!(sorted(&[&[0]]), (vec![], vec![vec![0]]));
        assert_eq!(sorted(&[&[1], &[2], &[0], &[]]), (vec![3], vec![vec![0, 1, 2]]));
        // 0 needs the circle 1 ↔ 2, 3 is a circle of its own
        assert_eq!(sorted(&[&[1], &[2], &[1], &[3]]), (vec![], vec![vec![1, 2], vec![3]]));
    }

    proptest::proptest! {
        #[test]
        fn all_that_can_be_sorted_is(needs in proptest::collection::vec(proptest::collection::btree_set(0_usize..12, 0..4), 12)) {
            let (sorted, circles) = sort(&needs);
            for (i, at) in sorted.iter().enumerate() {
                proptest::prop_assert!(needs[*at].iter().all(|need| sorted[..i].contains(need)));
            }
            proptest::prop_assert_eq!(sorted.len() == needs.len(), circles.is_empty());
            for circle in circles {
                for (i, at) in circle.iter().enumerate() {
                    proptest::prop_assert!(needs[*at].contains(&circle[(i + 1) % circle.len()]));
                }
            }
        }
    }
}
