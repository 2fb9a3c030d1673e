//! What is let in: a budget of memory over all requests in flight, and turns for the work on them.
//!
//! A request that the budget has no room for is answered with 503 at once, and its sender comes
//! again; nothing waits for memory. Work waits for its turn: small bodies among themselves, large
//! ones among themselves, so that nobody with a small one waits for a large one.

use std::sync::Arc;
use std::time::Duration;

use borrowire::receive::ReceiveError;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio::time::timeout;

/// What the budget is counted in.
const UNIT_BYTES: usize = 1 << 10;

/// When a sender should come again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How long work may wait for its turn. Senders wait for an answer for 30 seconds, most of them.
const WAIT: Duration = Duration::from_secs(20);

/// The budget, and the turns.
#[derive(Debug)]
pub struct Admission {
    budget: Arc<Semaphore>,
    budget_units: usize,
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
}

/// The right to work on a body.
pub type Turn = OwnedSemaphorePermit;

impl Admission {
    /// A budget of so many bytes, and turns for so many small and so many large bodies at a time.
    #[must_use]
    pub fn new(budget_bytes: usize, small: usize, large: usize) -> Self {
        let budget_units = units(budget_bytes).min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        Self {
            budget: Arc::new(Semaphore::new(budget_units)),
            budget_units,
            small: Arc::new(Semaphore::new(small)),
            large: Arc::new(Semaphore::new(large)),
        }
    }

    /// A part of the budget that holds nothing yet.
    #[must_use]
    pub fn hold(self: &Arc<Self>) -> Held {
        Held { admission: Arc::clone(self), permit: None }
    }

    /// Waits for a turn with a small body.
    ///
    /// # Errors
    ///
    /// [`Overloaded`](ReceiveError::Overloaded) when it does not come.
    pub async fn small(&self) -> Result<Turn, ReceiveError> {
        turn(&self.small).await
    }

    /// Waits for a turn with a large body.
    ///
    /// # Errors
    ///
    /// [`Overloaded`](ReceiveError::Overloaded) when it does not come.
    pub async fn large(&self) -> Result<Turn, ReceiveError> {
        turn(&self.large).await
    }

    /// How many bytes of the budget are held.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        ((self.budget_units - self.budget.available_permits()) * UNIT_BYTES) as u64
    }
}

async fn turn(turns: &Arc<Semaphore>) -> Result<Turn, ReceiveError> {
    let turn = timeout(WAIT, Arc::clone(turns).acquire_owned()).await;
    turn.map_err(|_| overloaded())?.map_err(|_: AcquireError| overloaded())
}

/// A part of the budget. It is given back on drop.
#[derive(Debug)]
pub struct Held {
    admission: Arc<Admission>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Held {
    /// Makes it at least so many bytes. A request may always have the whole budget, so that
    /// one that is within its own limits is taken when there is no other.
    ///
    /// # Errors
    ///
    /// [`Overloaded`](ReceiveError::Overloaded) if there are not as many left.
    pub fn grow(&mut self, bytes: usize) -> Result<(), ReceiveError> {
        let wanted = units(bytes).min(self.admission.budget_units);
        let held = self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if wanted > held {
            let more = u32::try_from(wanted - held).unwrap_or(u32::MAX);
            let more = Arc::clone(&self.admission.budget).try_acquire_many_owned(more);
            let more = more.map_err(|_: TryAcquireError| overloaded())?;
            match &mut self.permit {
                Some(permit) => permit.merge(more),
                None => self.permit = Some(more),
            }
        }
        Ok(())
    }

    /// Makes it at most so many bytes.
    pub fn shrink(&mut self, bytes: usize) {
        if let Some(permit) = &mut self.permit {
            let over = permit.num_permits().saturating_sub(units(bytes));
            drop(permit.split(over));
        }
    }
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT_BYTES)
}

fn overloaded() -> ReceiveError {
    ReceiveError::Overloaded { retry_after: RETRY_AFTER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_given_back() {
        let admission = Arc::new(Admission::new(10 << 10, 1, 1));
        let (mut one, mut other) = (admission.hold(), admission.hold());
        one.grow(5 << 10).unwrap();
        one.grow((7 << 10) + 1).unwrap();
        assert_eq!(admission.held_bytes(), 8 << 10);
        let error = other.grow(3 << 10).unwrap_err();
        assert_eq!((error.status(), error.retry_after()), (503, Some(RETRY_AFTER)));
        other.grow(2 << 10).unwrap();
        one.shrink(1);
        other.grow(9 << 10).unwrap();
        assert_eq!(admission.held_bytes(), 10 << 10);
        drop(other);
        // All that there is, and not more.
        one.grow(usize::MAX).unwrap();
        drop(one);
        assert_eq!(admission.held_bytes(), 0);
    }
}
