//! Tracks, line by line, what every Markdown reader agrees is code.

/// The effect of a line on code blocks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CodeFence {
    /// No fence.
    None,
    /// Opens or closes a block.
    Line,
}

/// The state of the parser within its current line.
#[derive(Debug)]
pub(super) struct Line {
    /// Whether nothing of the line has been read.
    pub(super) at_start: bool,
    /// Whether readers may disagree about what is code; nothing counts as code from then on.
    pub(super) unsure: bool,
    /// Whether only white space has been read.
    blank: bool,
    /// Whether something was removed before anything else of the line was emitted.
    emptied: bool,
    /// Whether this paragraph has an unclosed backtick.
    open: bool,
    /// The open code block: fence character, fence length, indentation.
    block: Option<(char, usize, usize)>,
}

impl Default for Line {
    fn default() -> Self {
        Self { at_start: true, unsure: false, blank: true, emptied: false, open: false, block: None }
    }
}

impl Line {
    /// Classifies a line, or its beginning; returns `None` if more input is needed.
    pub(super) fn fence(&mut self, line: &str, whole: bool) -> Option<CodeFence> {
        let inner = line.trim_start_matches(' ');
        let indent = line.len() - inner.len();
        if inner.is_empty() && indent <= 3 && !whole {
            return None;
        }
        let Some(sign) = inner.chars().next().filter(|sign| indent <= 3 && "`~".contains(*sign)) else {
            self.step_out(inner, indent);
            return Some(CodeFence::None);
        };
        if !whole {
            return None;
        }
        let info = inner.trim_start_matches(sign);
        let run = inner.len() - info.len();
        match self.block {
            Some((opened, count, _)) if opened == sign && run >= count && info.trim().is_empty() => {
                self.block = None;
                Some(CodeFence::Line)
            }
            Some(_) => {
                self.step_out(inner, indent);
                Some(CodeFence::None)
            }
            None if run >= 3 && (sign == '~' || !info.contains('`')) => {
                self.block = Some((sign, run, indent));
                self.open = false;
                Some(CodeFence::Line)
            }
            None => Some(CodeFence::None),
        }
    }

    /// Handles a line with less indentation than the fence: the block may belong to a list and end here.
    fn step_out(&mut self, inner: &str, indent: usize) {
        self.unsure |=
            self.block.is_some_and(|(_, _, stands_in)| indent < stands_in) && !inner.trim().is_empty();
    }

    /// Returns whether the line is in a code block.
    pub(super) fn in_code(&self) -> bool {
        self.block.is_some() && !self.unsure
    }

    /// Returns whether readers may disagree about what is code in this paragraph.
    pub(super) fn doubtful(&self) -> bool {
        self.open || self.unsure
    }

    /// Registers backticks or tildes that are not closed on their line.
    pub(super) fn opened_code(&mut self, sign: char, run: usize) {
        self.open |= sign == '`';
        // In the middle of a line they may still open a block, for example in a list item.
        self.unsure |= run >= 3;
    }

    /// Registers emitted text.
    pub(super) fn saw(&mut self, text: &str) {
        // A fence that comes first in the line only because text before it was removed may now close a block.
        self.unsure |= self.emptied && self.blank && text.trim_start().starts_with(['`', '~']);
        self.blank &= text.trim().is_empty();
    }

    /// Registers that text was removed.
    pub(super) fn lost(&mut self) {
        self.emptied |= self.blank;
    }

    /// Ends the line; returns whether the paragraph ends too.
    pub(super) fn end(&mut self) -> bool {
        let blank = std::mem::replace(&mut self.blank, true);
        self.at_start = true;
        self.emptied = false;
        self.open &= !blank;
        blank
    }
}
