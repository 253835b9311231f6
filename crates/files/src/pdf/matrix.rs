//! Places on a page.

/// An affine map `[a b c d e f]`, by section 8.3.3 of ISO 32000-1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub(super) [f32; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) const fn moved(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Returns the map that first does this one, then `next`.
    pub(super) fn then(&self, next: &Self) -> Self {
        let ([a, b, c, d, e, f], [na, nb, nc, nd, ne, nf]) = (self.0, next.0);
        Self([
            a * na + b * nc,
            a * nb + b * nd,
            c * na + d * nc,
            c * nb + d * nd,
            e * na + f * nc + ne,
            e * nb + f * nd + nf,
        ])
    }

    /// Returns where the origin goes.
    pub(super) const fn place(&self) -> (f32, f32) {
        (self.0[4], self.0[5])
    }

    /// Returns the lengths that units across and up have.
    pub(super) fn scale(&self) -> (f32, f32) {
        let [a, b, c, d, ..] = self.0;
        (a.hypot(b), c.hypot(d))
    }
}
