//! How large blocks and parts are.

/// Sizes in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) texts_raw: usize,
    pub(crate) texts: usize,
    pub(crate) terms_raw: usize,
    pub(crate) terms: usize,
    pub(crate) lists: usize,
    pub(crate) centroids: usize,
    pub(crate) sketches: usize,
    pub(crate) rows: usize,
    pub(crate) tables: usize,
    pub(crate) pages: usize,
    pub(crate) cells: Option<usize>,
}

impl Layout {
    /// Returns the sizes for a number of chunks. A host without `Range` sends whole parts, so parts are little larger than blocks; beyond
    /// 100,000 chunks they grow, since hosts limit the number of files.
    pub(crate) fn of(chunks: usize, cells: Option<usize>) -> Self {
        let factor = (chunks as f64 / 100_000.0).clamp(1.0, 16.0);
        let scaled = |bytes: usize| (bytes as f64 * factor) as usize;
        Self {
            texts_raw: 4096,
            texts: scaled(4 << 10),
            terms_raw: 6144,
            terms: scaled(6 << 10),
            lists: scaled(8 << 10),
            centroids: 128 << 10,
            sketches: scaled(3 << 10),
            rows: scaled(5 << 10),
            tables: scaled(16 << 10),
            pages: scaled(3 << 10),
            cells,
        }
    }
}
