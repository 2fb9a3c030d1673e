//! What a histogram counts, and whether the count began anew.

/// A number of observations: which member is set tells the histogram's form. Equal by bits.
///
/// ```
/// use borrowire::remote_write::{Count, Histogram};
///
/// let mut histogram = Histogram::default();
/// histogram.count = Some(Count::Float(2.5));
/// assert!(histogram.is_float());
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// Of a histogram in integer form.
    Int(u64),
    /// Of a histogram in float form.
    Float(f64),
}

impl PartialEq for Count {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

impl Eq for Count {}

/// Whether the counter behind a histogram was reset. An open enum.
///
/// ```
/// use borrowire::remote_write::{Histogram, ResetHint};
///
/// let mut histogram = Histogram::default();
/// histogram.reset_hint = ResetHint::GAUGE;
/// assert_eq!(histogram.reset_hint, ResetHint(3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResetHint(pub i32);

impl ResetHint {
    /// 0: to be found out by comparing counts.
    pub const UNKNOWN: Self = Self(0);
    /// 1: this is the first histogram after a reset.
    pub const YES: Self = Self(1);
    /// 2: there was no reset between the histogram before and this one.
    pub const NO: Self = Self(2);
    /// 3: a gauge histogram, which knows no resets.
    pub const GAUGE: Self = Self(3);
}
