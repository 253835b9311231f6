//! Cancellation: one flag that whoever waits can be woken by.

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
    /// Asks the work to end. Whatever waits inside [`Cancel::guard`] wakes at once.
    pub fn cancel(&self) {
        self.0.cancelled.set(true);
        let waiting = self.0.waiting.take();
        waiting.into_iter().for_each(Waker::wake);
    }

    /// An error if the work was cancelled.
    ///
    /// # Errors
    /// [`Error::Aborted`].
    pub fn check(&self) -> Result<()> {
        if self.0.cancelled.get() { Err(Error::Aborted) } else { Ok(()) }
    }

    /// Runs `work` until it is done or cancelled, whichever comes first. Work that is cancelled is dropped.
    ///
    /// # Errors
    /// [`Error::Aborted`], also before the work has begun.
    pub async fn guard<F: Future>(&self, work: F) -> Result<F::Output> {
        let mut work = pin!(work);
        poll_fn(|context| {
            if let Err(aborted) = self.check() {
                return Poll::Ready(Err(aborted));
            }
            let polled = work.as_mut().poll(context).map(Ok);
            if polled.is_pending() {
                // The work itself may have cancelled: nobody would wake it then.
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
