//! Ranges of numbers. A range is declared once: the check, its message, the schema and what is generated from that read it.

use crate::error::{Error, Result};
use std::fmt::Display;

/// The range of a numeric option, with the name that messages use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range<T> {
    /// Name of the option.
    pub name: &'static str,
    /// Least value.
    pub least: T,
    /// Greatest value; absent where there is none.
    pub most: Option<T>,
}

impl<T: PartialOrd + Copy + Display> Range<T> {
    /// Values from `least` to `most`, both included.
    pub const fn new(name: &'static str, least: T, most: T) -> Self {
        Self { name, least, most: Some(most) }
    }

    /// Values from `least` on.
    pub const fn from(name: &'static str, least: T) -> Self {
        Self { name, least, most: None }
    }

    /// Returns whether the range holds a value; false for `NaN`.
    pub fn holds(&self, value: T) -> bool {
        value >= self.least && self.most.is_none_or(|most| value <= most)
    }

    /// Checks a value.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] outside of the range.
    pub fn check(&self, value: T) -> Result<()> {
        if self.holds(value) {
            return Ok(());
        }
        let Self { name, least, most } = self;
        let expected = match most {
            Some(most) => format!("from {least} to {most}"),
            None => format!("at least {least}"),
        };
        Err(Error::invalid(*name, expected, value.to_string()))
    }
}

#[cfg(feature = "schema")]
impl<T: Copy + Into<serde_json::Value>> Range<T> {
    /// Returns what writes the range into a field's schema.
    pub fn declared(self) -> impl schemars::transform::Transform {
        move |schema: &mut schemars::Schema| {
            schema.insert("minimum".to_owned(), self.least.into());
            if let Some(most) = self.most {
                schema.insert("maximum".to_owned(), most.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_belong_to_a_range_and_a_message_names_them() {
        let hops = Range::new("hops", 1, 4);
        assert!([1, 2, 4].into_iter().all(|value| hops.check(value).is_ok()));
        assert_eq!(hops.check(5).unwrap_err().to_string(), "`hops` must be from 1 to 4, but was 5.");
        assert!(hops.check(0).is_err());
        let limit = Range::from("limit", 1);
        assert!(limit.check(usize::MAX).is_ok());
        assert_eq!(limit.check(0).unwrap_err().to_string(), "`limit` must be at least 1, but was 0.");
        assert!(Range::new("threshold", -1.0, 1.0).check(f32::NAN).is_err());
    }
}
