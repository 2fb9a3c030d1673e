//! Which records go to which partition.

use alloc::vec::Vec;

use crate::message::columns::{index, sum, vec_bytes};
use crate::wire::{impossible, to_usize};

/// The records of a request, by partition, in memory that is used again.
#[derive(Default)]
pub(super) struct Groups {
    /// The partition of each record, then its position.
    records: Vec<(u32, u32)>,
    /// Positions in each list, by partition; those of the second list from 0 as well.
    positions: Vec<u32>,
    /// How many positions are of the first list, and where the last ends, for each partition.
    ends: Vec<(u32, usize, usize)>,
}

/// What goes to a partition: positions in a request's lists, in ascending order.
pub(super) struct Group<'g> {
    pub(super) partition: u32,
    pub(super) first: &'g [u32],
    pub(super) second: &'g [u32],
}

impl Groups {
    /// Puts each record to the partition that `partition_of` says for its position, counted through
    /// both lists.
    pub(super) fn assign(
        &mut self,
        first_len: usize,
        second_len: usize,
        mut partition_of: impl FnMut(usize) -> u32,
    ) {
        self.records.clear();
        self.positions.clear();
        self.ends.clear();
        let len = first_len.saturating_add(second_len);
        self.records.extend((0..len).map(|at| (partition_of(at), index(at))));
        // Equal ones there are none, so that the order of positions stays.
        if !self.records.is_sorted() {
            self.records.sort_unstable();
        }
        let mut rest = &self.records[..];
        while let Some(&(partition, _)) = rest.first() {
            let end = rest.partition_point(|record| record.0 == partition);
            let (group, behind) = rest.split_at_checked(end).unwrap_or_else(impossible);
            rest = behind;
            let first = group.partition_point(|record| to_usize(record.1) < first_len);
            let offset = index(first_len);
            self.positions
                .extend(group.iter().map(|&(_, at)| at.checked_sub(offset).unwrap_or(at)));
            self.ends.push((partition, first, self.positions.len()));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Group<'_>> {
        let mut start = 0;
        self.ends.iter().map(move |&(partition, first, end)| {
            let positions = self.positions.get(start..end).unwrap_or_else(impossible);
            start = end;
            let (first, second) = positions.split_at_checked(first).unwrap_or_else(impossible);
            Group { partition, first, second }
        })
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        sum([vec_bytes(&self.records), vec_bytes(&self.positions), vec_bytes(&self.ends)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_keep_their_order() {
        let mut groups = Groups::default();
        for _ in 0..2 {
            groups.assign(5, 3, |at| [7, 2, 7, u32::MAX, 2, 7, 9, 7][at]);
            let found: Vec<_> = groups
                .iter()
                .map(|group| (group.partition, group.first.to_vec(), group.second.to_vec()))
                .collect();
            let expected = [
                (2, vec![1, 4], vec![]),
                (7, vec![0, 2], vec![0, 2]),
                (9, vec![], vec![1]),
                (u32::MAX, vec![3], vec![]),
            ];
            assert_eq!(found, expected);
        }
        groups.assign(0, 0, |_| 0);
        assert_eq!(groups.iter().count(), 0);
    }
}
