//! Text in, positions out: decoding, structure, chunks, sentences and keyword terms.
//!
//! Every position is a byte range of one text; [`chunk`] adds the UTF-16 range JavaScript needs.
//! Nothing here knows of indexes, models or browsers.

pub mod block;
mod boundaries;
pub mod chunk;
pub mod decode;
pub mod html;
mod links;
mod markdown;
pub mod nearest;
pub mod normal_forms;
pub mod number;
pub mod sentence;
pub mod structure;
pub mod terms;
mod units;
