//! Ways to answer. A style holds the order of steps and the conditions of loops, nothing else.

pub mod pipeline;
