//! Parses server-sent events (WHATWG HTML, §9.2) as chat completions use them: only the data of each event.

/// Returns whether a body with this beginning is an event stream; false if the beginning is too short to tell.
pub(super) fn begins_stream(bytes: &[u8]) -> bool {
    const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    FIELDS.iter().any(|field| bytes.starts_with(field))
}

/// Splits a byte stream into events, for any chunking.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The incomplete line.
    open: Vec<u8>,
    /// The data of the incomplete event.
    data: Option<String>,
    /// Whether the data has several lines.
    has_lines: bool,
}

impl Lines {
    /// Returns the data of the events that these bytes complete.
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
            // Some servers omit the blank line between events and send one JSON object per line. Only a single line is tested for
            // that: parsing all lines again at each one would be quadratic.
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
