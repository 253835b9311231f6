//! What the engine needs from where it runs: a clock, and ways to wait and to let others have a turn.

use futures_util::future::LocalBoxFuture;
use std::hash::{BuildHasher, RandomState};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The host. In a browser it is the event loop; natively, the standard library.
pub trait Platform {
    /// Milliseconds since some fixed moment, never going back.
    fn now(&self) -> f64;

    /// Lets waiting messages be handled before going on. Long work calls it every few milliseconds.
    fn pause(&self) -> LocalBoxFuture<'static, ()>;

    /// Waits.
    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()>;

    /// A number that nobody can guess. The operating system or the browser draws it.
    fn random(&self) -> u64 {
        // Where neither has any, the seeds of hash maps are the best there is.
        getrandom::u64().unwrap_or_else(|_| RandomState::new().hash_one(self.now().to_bits()))
    }
}

/// The host for native use.
#[derive(Debug)]
pub struct Native(std::time::Instant);

impl Default for Native {
    fn default() -> Self {
        Self(std::time::Instant::now())
    }
}

impl Platform for Native {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64() * 1000.0
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()> {
        timer(milliseconds).0
    }
}

/// A wait, and the thread that ends it: natively few wait, and there is no event loop to ask. The thread ends as soon
/// as the wait is dropped.
fn timer(milliseconds: f64) -> (LocalBoxFuture<'static, ()>, JoinHandle<()>) {
    let (awake, awaken) = futures_channel::oneshot::channel::<()>();
    let (waiting, given_up) = mpsc::channel::<()>();
    // So long a time that none can be counted is forever.
    let time = Duration::try_from_secs_f64(milliseconds.max(0.0) / 1000.0).unwrap_or(Duration::MAX);
    let thread = std::thread::spawn(move || {
        let _ = given_up.recv_timeout(time);
        drop(awake);
    });
    let wait = Box::pin(async move {
        let _ = awaken.await;
        drop(waiting);
    });
    (wait, thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn no_two_random_numbers_are_alike() {
        let drawn: std::collections::BTreeSet<u64> = (0..1_000).map(|_| Native::default().random()).collect();
        assert_eq!(drawn.len(), 1_000);
    }

    #[test]
    fn a_wait_that_is_given_up_leaves_no_thread_behind() {
        let (mut wait, thread) = timer(600_000.0);
        assert_eq!((&mut wait).now_or_never(), None);
        drop(wait);
        let began = std::time::Instant::now();
        while !thread.is_finished() {
            assert!(began.elapsed().as_secs() < 5, "the thread sleeps on");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(timer(f64::INFINITY).0.now_or_never(), None);
    }
}
