//! What the engine needs from where it runs: a clock, and ways to wait and to let others have a turn.

use futures_util::future::LocalBoxFuture;

/// The host. In a browser it is the event loop; natively, the standard library.
pub trait Platform {
    /// Milliseconds since some fixed moment, never going back.
    fn now(&self) -> f64;

    /// Lets waiting messages be handled before going on. Long work calls it every few milliseconds.
    fn pause(&self) -> LocalBoxFuture<'static, ()>;

    /// Waits.
    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()>;
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
        let (awake, awaken) = futures_channel::oneshot::channel::<()>();
        // A thread for each wait: natively few wait, and there is no event loop to ask.
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs_f64(milliseconds.max(0.0) / 1000.0));
            drop(awake);
        });
        Box::pin(async move {
            let _ = awaken.await;
        })
    }
}
