//! What is code in an answer, line by line, as far as every reader agrees.

/// What a line is to code blocks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CodeFence {
    /// No mark of one.
    None,
    /// Opens or closes one.
    Line,
}

/// Where a screen stands in its text.
#[derive(Debug)]
pub(super) struct Line {
    /// Whether nothing of the line was read.
    pub(super) at_start: bool,
    /// Whether it can no longer be told what is code: then nothing is.
    pub(super) unsure: bool,
    /// Whether only white space was read of it.
    blank: bool,
    /// Whether something was removed before anything else of the line was passed on.
    emptied: bool,
    /// Whether a backtick was left open in this paragraph.
    open: bool,
    /// The code block: its sign, how many, and how far it stands in.
    block: Option<(char, usize, usize)>,
}

impl Default for Line {
    fn default() -> Self {
        Self { at_start: true, unsure: false, blank: true, emptied: false, open: false, block: None }
    }
}

impl Line {
    /// What this line does, or as much of it as has come; nothing where more must come first.
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

    /// A block that stands in may be part of a list, and end where a line stands further out.
    fn step_out(&mut self, inner: &str, indent: usize) {
        self.unsure |=
            self.block.is_some_and(|(_, _, stands_in)| indent < stands_in) && !inner.trim().is_empty();
    }

    /// Whether the line is within a code block.
    pub(super) fn in_code(&self) -> bool {
        self.block.is_some() && !self.unsure
    }

    /// Whether it cannot be told what is code in this paragraph.
    pub(super) fn doubtful(&self) -> bool {
        self.open || self.unsure
    }

    /// Marks that begin code which does not end on its line.
    pub(super) fn opened_code(&mut self, sign: char, run: usize) {
        self.open |= sign == '`';
        // Elsewhere than at the start of a line they may begin a block all the same, as in a list.
        self.unsure |= run >= 3;
    }

    /// Text that was passed on.
    pub(super) fn saw(&mut self, text: &str) {
        // Marks that stand first now may close a block that they did not close before.
        self.unsure |= self.emptied && self.blank && text.trim_start().starts_with(['`', '~']);
        self.blank &= text.trim().is_empty();
    }

    /// Text that was removed.
    pub(super) fn lost(&mut self) {
        self.emptied |= self.blank;
    }

    /// The line ends; whether the paragraph does, too.
    pub(super) fn end(&mut self) -> bool {
        let blank = std::mem::replace(&mut self.blank, true);
        self.at_start = true;
        self.emptied = false;
        self.open &= !blank;
        blank
    }
}
