//! The reader: blocks by way of a source, directories, and the arms of a search.

pub(crate) mod admitted;
#[cfg(not(feature = "small"))]
pub(crate) mod ahead;
pub(crate) mod blocks;
pub(crate) mod bounds;
pub(crate) mod lengths;
pub(crate) mod loaded;
#[cfg(not(feature = "small"))]
pub(crate) mod omitted;
pub(crate) mod postings;
#[cfg(not(feature = "small"))]
pub(crate) mod preload;
pub(crate) mod rest;
pub(crate) mod search;
pub(crate) mod spelling;
pub(crate) mod texts;
pub(crate) mod tree;
pub(crate) mod vectors;
pub(crate) mod words;
