//! Passes the tags and texts of an HTML source to a reader. Errors in the source are neither looked for nor reported, and of the
//! attributes only `href` is kept.

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::emitters::{Emitter, ForwardingEmitter};
use html5gum::{Span, Tokenizer};
use std::convert::Infallible;

/// What receives tags and texts, in the order of the source. Names are in lower case.
pub(super) trait Sink {
    /// Receives a start tag, with its `href` if it has one.
    fn open(&mut self, name: &[u8], href: Option<&[u8]>, self_closing: bool);
    fn close(&mut self, name: &[u8]);
    fn text(&mut self, text: &str);
}

/// Reads a source into `sink`.
pub(super) fn read(source: &str, sink: &mut impl Sink) {
    let events = Events { sink, name: Vec::new(), href: None, is_href: false };
    let mut emitter = CallbackEmitter::new(events);
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(source, Quiet(emitter)).finish(); // reading from a string cannot fail
}

/// Collects the parts of a start tag.
struct Events<'s, S> {
    sink: &'s mut S,
    name: Vec<u8>,
    href: Option<Vec<u8>>,
    /// Whether the next value is that of `href`. Of equal attributes, the first counts.
    is_href: bool,
}

impl<S: Sink> Callback<Infallible, ()> for Events<'_, S> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.name.clear();
                self.name.extend(name);
                (self.href, self.is_href) = (None, false);
            }
            CallbackEvent::AttributeName { name } => {
                self.is_href = name == b"href" && self.href.is_none();
                if self.is_href {
                    self.href = Some(Vec::new());
                }
            }
            CallbackEvent::AttributeValue { value } => {
                let href = self.href.as_mut().filter(|_| self.is_href);
                href.into_iter().for_each(|href| href.extend(value));
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                self.sink.open(&self.name, self.href.as_deref(), self_closing);
            }
            CallbackEvent::EndTag { name } => self.sink.close(name),
            CallbackEvent::String { value } => self.sink.text(&String::from_utf8_lossy(value)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
        None
    }
}

/// An emitter that needs no errors, so that the tokenizer does not check each character for them.
struct Quiet<C: Callback<Infallible, ()>>(CallbackEmitter<C>);

impl<C: Callback<Infallible, ()>> ForwardingEmitter for Quiet<C> {
    type Token = Infallible;

    fn inner(&mut self) -> &mut impl Emitter<Token = Infallible> {
        &mut self.0
    }

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }
}
