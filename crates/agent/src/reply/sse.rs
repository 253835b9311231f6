//! Server-sent events (WHATWG HTML, §9.2), as far as chat completions use them: the data of each event.

/// Whether a body that begins so is an event stream. With too few bytes to tell, it is not, yet.
pub(super) fn begins_stream(bytes: &[u8]) -> bool {
    const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    FIELDS.iter().any(|field| bytes.starts_with(field))
}

/// Cuts a stream of bytes into events, however the bytes are split on their way.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// An unfinished line.
    open: Vec<u8>,
    /// The data lines of an unfinished event.
    data: Option<String>,
    /// Whether these are more than one.
    has_lines: bool,
}

impl Lines {
    /// The data of the events that these bytes finish.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for byte in bytes {
            if *byte == b'\n' {
                let line = std::mem::take(&mut self.open);
                let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line)).into_owned();
                events.extend(self.line(&line));
            } else {
                self.open.push(*byte);
            }
        }
        events
    }

    fn line(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            self.has_lines = false;
            return self.data.take();
        }
        if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            // Servers that leave out the blank line between events still send one JSON object a line. Only a single
            // line is taken for one: all of an event read again at each of its lines would take ever longer.
            let whole = !self.has_lines
                && self
                    .data
                    .as_deref()
                    .is_some_and(|open| serde_json::from_str::<serde_json::Value>(open).is_ok());
            let finished = if whole { self.data.take() } else { None };
            self.has_lines = self.data.is_some();
            match &mut self.data {
                Some(open) => {
                    open.push('\n');
                    open.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
            return finished;
        }
        None
    }
}
