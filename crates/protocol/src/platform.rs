//! The host services that the engine needs: a clock, timers and yielding.

use futures_util::future::LocalBoxFuture;
use std::hash::{BuildHasher, RandomState};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The host: the event loop in a browser, the standard library in native builds.
pub trait Platform {
    /// Returns the milliseconds since a fixed moment. Monotonic.
    fn now(&self) -> f64;

    /// Yields to the event loop. Long work calls it every few milliseconds.
    fn pause(&self) -> LocalBoxFuture<'static, ()>;

    /// Waits for the given time.
    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()>;

    /// Returns an unpredictable number from the random source of the operating system or the browser.
    fn random(&self) -> u64 {
        // Without a random source, the seeds of hash maps are the best alternative.
        getrandom::u64().unwrap_or_else(|_| RandomState::new().hash_one(self.now().to_bits()))
    }
}

/// The host of native builds.
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

/// Returns a timer and the thread that ends it; native builds have few timers and no event loop. The thread ends as soon as the
/// timer is dropped.
fn timer(milliseconds: f64) -> (LocalBoxFuture<'static, ()>, JoinHandle<()>) {
    let (awake, awaken) = futures_channel::oneshot::channel::<()>();
    let (waiting, dropped) = mpsc::channel::<()>();
    // A time too long for `Duration` means forever.
    let time = Duration::try_from_secs_f64(milliseconds.max(0.0) / 1000.0).unwrap_or(Duration::MAX);
    let thread = std::thread::spawn(move || {
        let _ = dropped.recv_timeout(time);
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
    fn random_numbers_are_distinct() {
        let drawn: std::collections::BTreeSet<u64> = (0..1_000).map(|_| Native::default().random()).collect();
        assert_eq!(drawn.len(), 1_000);
    }

    #[test]
    fn a_dropped_timer_ends_its_thread() {
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
