//! Cancellation: a shared flag that wakes the tasks waiting on it.

use crate::error::{Error, Result};
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// A handle to cancel work with. Clones share one flag.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Rc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: Cell<bool>,
    waiting: RefCell<Vec<Waker>>,
}

impl Cancel {
    /// Requests cancellation. Wakes everything that waits in [`Cancel::guard`].
    pub fn cancel(&self) {
        self.0.cancelled.set(true);
        let waiting = self.0.waiting.take();
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Returns an error if the work was cancelled.
    ///
    /// # Errors
    /// [`Error::Aborted`].
    pub fn check(&self) -> Result<()> {
        if self.0.cancelled.get() { Err(Error::Aborted) } else { Ok(()) }
    }

    /// Runs `work` until it is done or cancelled, whichever comes first. Drops cancelled work.
    ///
    /// # Errors
    /// [`Error::Aborted`], also if the work was cancelled before it began.
    pub async fn guard<F: Future>(&self, work: F) -> Result<F::Output> {
        let mut work = pin!(work);
        poll_fn(|context| {
            if let Err(aborted) = self.check() {
                return Poll::Ready(Err(aborted));
            }
            let polled = work.as_mut().poll(context).map(Ok);
            if polled.is_pending() {
                // The work itself may have cancelled, and would not be woken again.
                if let Err(aborted) = self.check() {
                    return Poll::Ready(Err(aborted));
                }
                let mut waiting = self.0.waiting.borrow_mut();
                waiting.retain(|waker| !waker.will_wake(context.waker()));
                waiting.push(context.waker().clone());
            }
            polled
        })
        .await
    }
}
