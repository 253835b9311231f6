//! Vectors in cells: k-means cells whose vectors are stored as the difference from the cell's centroid, first by one bit a dimension,
//! then by four more.

pub(crate) mod codes;
pub(crate) mod rotation;
