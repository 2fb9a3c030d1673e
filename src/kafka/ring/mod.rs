//! The partition ring: which partition a series, a stream or a trace goes to.
//!
//! ```text
//! tenant, labels --hash--> key --first token above it, of an active partition--> partition
//!                                  in the whole ring, or in the tenant's shuffle shard
//! ```
//!
//! A key is the token that the protocol's distributor computes, such as those of
//! [`MimirTokens`](crate::remote_write::MimirTokens). The tokens of a partition depend on its number
//! alone, so a gateway that knows which partitions there are, and which of them are active, needs
//! nothing else to agree with all others.
//!
//! Source: dskit, `ring/partition_ring.go`, `ring/spread_minimizing_token_generator.go`,
//! `ring/shard/shard.go`.

mod cooked;
mod generator;
mod go_rand;
mod tokens;

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use md5::{Digest, Md5};

use self::generator::Generator;
use self::go_rand::GoRand;
use self::tokens::Tokens;
use crate::wire::impossible;

/// How many tokens each partition has in a [`PartitionRing`].
pub const TOKENS_PER_PARTITION: usize = generator::TOKENS;

/// How many partitions a [`PartitionRing`] can have: a token takes 12 bytes, a partition 6 KiB.
pub const MAX_PARTITIONS: u32 = 1 << 16;

/// What a partition of a ring may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartitionState {
    /// There, and not used yet.
    Pending,
    /// Written and read.
    Active,
    /// Read, and not written any more.
    Inactive,
}

/// A partition of a ring.
///
/// ```
/// use borrowire::kafka::{Partition, PartitionState};
///
/// let partition = Partition::new(7).with_state(PartitionState::Inactive, 1_700_000_000);
/// assert_eq!((partition.number, partition.state_timestamp), (7, 1_700_000_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Partition {
    /// Its number in the topic, from 0.
    pub number: u32,
    /// What it may be used for.
    pub state: PartitionState,
    /// Since when, in seconds since the Unix epoch.
    pub state_timestamp: i64,
}

impl Partition {
    /// An active partition, since the epoch.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self { number, state: PartitionState::Active, state_timestamp: 0 }
    }

    /// Sets its state, and since when it has it, in seconds since the Unix epoch.
    #[must_use]
    pub const fn with_state(mut self, state: PartitionState, timestamp: i64) -> Self {
        self.state = state;
        self.state_timestamp = timestamp;
        self
    }

    fn is_active(&self) -> bool {
        self.state == PartitionState::Active
    }
}

/// A ring cannot be made of these partitions.
///
/// ```
/// use borrowire::kafka::{Partition, PartitionRing, RingError};
///
/// let error = PartitionRing::new([Partition::new(3), Partition::new(3)]).unwrap_err();
/// assert_eq!(error, RingError::DuplicatePartition { number: 3 });
/// assert_eq!(error.to_string(), "partition 3 is there twice");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RingError {
    /// A partition is there twice.
    DuplicatePartition {
        /// Its number.
        number: u32,
    },
    /// A partition's number is not below [`MAX_PARTITIONS`].
    NumberTooLarge {
        /// The number.
        number: u32,
    },
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicatePartition { number } => write!(f, "partition {number} is there twice"),
            Self::NumberTooLarge { number } => {
                write!(f, "partition {number}: numbers must be below {MAX_PARTITIONS}")
            }
        }
    }
}

impl core::error::Error for RingError {}

/// The partitions of a topic as a ring of tokens, as Grafana's databases have it.
///
/// ```
/// use borrowire::kafka::PartitionRing;
/// use borrowire::remote_write::{Label, MimirTokens};
///
/// let ring = PartitionRing::with_active(10)?; // once: it makes the tokens of all partitions
/// let shard = ring.shuffle_shard("user-1", 3); // once for each tenant
/// assert!(shard.partitions().map(|partition| partition.number).eq([0, 2, 3]));
///
/// let labels =
///     [Label::new("__name__", "foo"), Label::new("bar", "baz"), Label::new("sample", "1")];
/// let key = MimirTokens::new("user-1").series(&labels);
/// assert_eq!(ring.partition_for_key(key), Some(6));
/// assert_eq!(shard.partition_for_key(key), Some(3));
/// # Ok::<(), borrowire::kafka::RingError>(())
/// ```
///
/// Cloning a ring shares its tokens.
#[derive(Clone)]
#[doc(alias("shuffle shard", "subring", "dskit"))]
pub struct PartitionRing {
    /// By number.
    partitions: Arc<[Partition]>,
    tokens: Arc<Tokens>,
    /// The tokens of active partitions, if those are not all.
    active: Option<Arc<Tokens>>,
}

impl PartitionRing {
    /// The ring of `partitions`, in any order.
    ///
    /// That takes about a tenth of a second for 1,000 partitions, whose tokens depend on each other;
    /// so keep it, and [change](Self::set_partition) it.
    ///
    /// # Errors
    ///
    /// If a partition is there twice, or has a number from [`MAX_PARTITIONS`] on.
    pub fn new(partitions: impl IntoIterator<Item = Partition>) -> Result<Self, RingError> {
        let mut partitions: Vec<_> = partitions.into_iter().collect();
        partitions.sort_unstable_by_key(|partition| partition.number);
        for pair in partitions.windows(2) {
            if let [Partition { number, .. }, other] = pair
                && *number == other.number
            {
                return Err(RingError::DuplicatePartition { number: *number });
            }
        }
        if let Some(&Partition { number, .. }) = partitions.last()
            && number >= MAX_PARTITIONS
        {
            return Err(RingError::NumberTooLarge { number });
        }
        let mut tokens = Vec::with_capacity(partitions.len().saturating_mul(TOKENS_PER_PARTITION));
        let mut wanted = partitions.iter().map(|partition| partition.number).peekable();
        let mut generator = (0_u32..).zip(Generator::default());
        while wanted.peek().is_some() {
            let Some((number, made)) = generator.next() else {
                impossible::<()>();
                break;
            };
            if wanted.next_if_eq(&number).is_some() {
                tokens.extend(made.map(|token| (token, number)));
            }
        }
        Ok(Self::of(partitions.into(), Arc::new(Tokens::new(tokens))))
    }

    /// The ring of the partitions from 0 to `count` - 1, all active.
    ///
    /// # Errors
    ///
    /// If there are more than [`MAX_PARTITIONS`].
    pub fn with_active(count: u32) -> Result<Self, RingError> {
        if count > MAX_PARTITIONS {
            return Err(RingError::NumberTooLarge { number: count.saturating_sub(1) });
        }
        Self::new((0..count).map(Partition::new))
    }

    fn of(partitions: Arc<[Partition]>, tokens: Arc<Tokens>) -> Self {
        let mut ring = Self { partitions, tokens, active: None };
        ring.find_active();
        ring
    }

    fn find_active(&mut self) {
        self.active = (!self.partitions.iter().all(Partition::is_active)).then(|| {
            let of_active =
                |token: &(u32, u32)| self.get(token.1).is_some_and(Partition::is_active);
            Arc::new(Tokens::new(self.tokens.iter().filter(of_active).collect()))
        });
    }

    fn position(&self, number: u32) -> Option<usize> {
        self.partitions.binary_search_by_key(&number, |partition| partition.number).ok()
    }

    fn get(&self, number: u32) -> Option<&Partition> {
        self.partitions.get(self.position(number)?)
    }

    /// The partitions, by number.
    pub fn partitions(&self) -> impl ExactSizeIterator<Item = Partition> {
        self.partitions.iter().copied()
    }

    /// The tokens of all partitions in ascending order, each with the number of its partition.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.tokens.iter()
    }

    /// Changes the state of the partition that has the number of `partition`. `false` if there is
    /// none.
    ///
    /// ```
    /// use borrowire::kafka::{Partition, PartitionRing, PartitionState};
    ///
    /// let mut ring = PartitionRing::with_active(10)?;
    /// assert_eq!(ring.partition_for_key(0), Some(4));
    /// let inactive = Partition::new(4).with_state(PartitionState::Inactive, 1_700_000_000);
    /// assert!(ring.set_partition(inactive));
    /// assert_ne!(ring.partition_for_key(0), Some(4));
    /// # Ok::<(), borrowire::kafka::RingError>(())
    /// ```
    pub fn set_partition(&mut self, partition: Partition) -> bool {
        let Some(position) = self.position(partition.number) else { return false };
        let changes = self
            .partitions
            .get(position)
            .is_some_and(|old| old.is_active() != partition.is_active());
        if let Some(place) = Arc::make_mut(&mut self.partitions).get_mut(position) {
            *place = partition;
        }
        if changes {
            self.find_active();
        }
        true
    }

    /// The partition that records with `key` go to: that of the first token above it, of those of
    /// active partitions. `None` if no partition is active.
    #[inline]
    #[must_use]
    pub fn partition_for_key(&self, key: u32) -> Option<u32> {
        self.active.as_ref().unwrap_or(&self.tokens).partition_after(key)
    }

    /// The ring of those partitions that `tenant` may write to: `size` active ones, or all that are
    /// active if there are no more, or if `size` is 0.
    ///
    /// Tenants get different ones, and each mostly the same when partitions come and go. Keep it
    /// for each tenant, until the ring changes.
    #[must_use]
    pub fn shuffle_shard(&self, tenant: &str, size: usize) -> Self {
        self.shuffle_shard_until(tenant, size, None)
    }

    /// The ring of those partitions that may hold what `tenant` has written within `period`, in
    /// seconds, before `now`, in seconds since the Unix epoch: those of
    /// [`shuffle_shard`](Self::shuffle_shard), and those that were among them before partitions
    /// changed their state. A period of 0 is none.
    ///
    /// ```
    /// use borrowire::kafka::{Partition, PartitionRing, PartitionState};
    ///
    /// let mut ring = PartitionRing::with_active(10)?;
    /// ring.set_partition(Partition::new(2).with_state(PartitionState::Inactive, 5_000));
    /// let numbers = |shard: PartitionRing| {
    ///     shard.partitions().map(|partition| partition.number).collect::<Vec<_>>()
    /// };
    /// assert_eq!(numbers(ring.shuffle_shard("user-1", 2)), [0, 9]);
    /// // Records of five minutes ago are also in partition 2.
    /// assert_eq!(numbers(ring.shuffle_shard_with_lookback("user-1", 2, 300, 5_100)), [0, 2, 9]);
    /// # Ok::<(), borrowire::kafka::RingError>(())
    /// ```
    #[must_use]
    pub fn shuffle_shard_with_lookback(
        &self,
        tenant: &str,
        size: usize,
        period: u64,
        now: i64,
    ) -> Self {
        let until = (period != 0).then(|| now.saturating_sub_unsigned(period));
        self.shuffle_shard_until(tenant, size, until)
    }

    fn shuffle_shard_until(&self, tenant: &str, size: usize, until: Option<i64>) -> Self {
        let count = self.partitions.len();
        let mut left = if size == 0 { count } else { size.min(count) };
        let mut random = GoRand::new(seed(tenant));
        let mut seen = vec![false; count];
        let mut taken = Vec::new();
        'partitions: while left > 0 {
            for number in self.tokens.partitions_after(random.next_u32()) {
                let position = self.position(number).unwrap_or_else(impossible);
                let Some(seen) = seen.get_mut(position).filter(|seen| !**seen) else { continue };
                *seen = true;
                let Some(partition) = self.partitions.get(position) else { continue };
                if partition.state == PartitionState::Pending {
                    continue;
                }
                let looked_back = until.is_some_and(|until| partition.state_timestamp >= until);
                if partition.is_active() || looked_back {
                    taken.push(position);
                }
                // One that is looked back to comes on top.
                if partition.is_active() && !looked_back {
                    left = left.saturating_sub(1);
                    continue 'partitions;
                }
            }
            break;
        }
        self.subring(taken)
    }

    /// The ring of the partitions at `positions`.
    fn subring(&self, mut positions: Vec<usize>) -> Self {
        if positions.len() == self.partitions.len() {
            return self.clone();
        }
        positions.sort_unstable();
        let mut wanted = vec![false; self.partitions.len()];
        let mut partitions = Vec::with_capacity(positions.len());
        for position in positions {
            partitions.extend(self.partitions.get(position));
            if let Some(wanted) = wanted.get_mut(position) {
                *wanted = true;
            }
        }
        let is_wanted = |token: &(u32, u32)| {
            self.position(token.1).is_some_and(|at| wanted.get(at) == Some(&true))
        };
        let tokens = Tokens::new(self.tokens.iter().filter(is_wanted).collect());
        Self::of(partitions.into(), Arc::new(tokens))
    }
}

/// Shows counts, not tokens.
impl fmt::Debug for PartitionRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let active = self.partitions.iter().filter(|partition| partition.is_active()).count();
        f.debug_struct("PartitionRing")
            .field("partitions", &self.partitions.len())
            .field("active", &active)
            .field("tokens", &self.tokens.len())
            .finish()
    }
}

/// The seed of the generator that picks a tenant's partitions.
fn seed(tenant: &str) -> i64 {
    let digest = Md5::digest(tenant);
    digest.first_chunk().map_or_else(impossible, |bytes| i64::from_be_bytes(*bytes))
}
