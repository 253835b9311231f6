//! The host of the engine: a clock, and Ctrl-C as cancellation.

use futures_util::future::{LocalBoxFuture, ready};
use std::sync::atomic::{AtomicBool, Ordering};
use vademecum::cancel::Cancel;
use vademecum::error::{Error, Result};
use vademecum::platform::{Native, Platform};

/// Whether Ctrl-C was pressed, or the system asked the program to end.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// Exit code of a program that ends without waiting.
const AT_ONCE: i32 = 130;

/// A native host. The engine pauses often; each pause turns a pending Ctrl-C into a cancellation.
#[derive(Debug, Default)]
pub(crate) struct Host {
    native: Native,
    cancel: Cancel,
}

impl Host {
    /// Returns a handle that a Ctrl-C cancels.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

impl Platform for Host {
    fn now(&self) -> f64 {
        self.native.now()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        if is_stopped() {
            self.cancel.cancel();
        }
        Box::pin(ready(()))
    }

    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()> {
        self.native.sleep(milliseconds)
    }
}

/// Makes the first Ctrl-C request the end of the work, and the second one end the program.
///
/// # Errors
/// [`Error::Relayed`] if the system has no such signal.
pub(crate) fn watch_for_stop() -> Result<()> {
    ctrlc::set_handler(|| {
        if IS_STOPPED.swap(true, Ordering::SeqCst) {
            std::process::exit(AT_ONCE);
        }
    })
    .map_err(|error| Error::internal(format!("Ctrl-C cannot be handled: {error}.")))
}

/// Returns whether the work should end.
pub(crate) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::SeqCst)
}
