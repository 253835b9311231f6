//! Products of a query with rows and signs that a caller stores in a form of its own: libraries in parts keep neither as a [`Vectors`](crate::Vectors)
//! does, and their reader is compiled for size.

use crate::kernel::QuantisedQuery;

/// A query, rounded to 16 bits for the comparison with many int8 rows.
#[derive(Debug)]
pub struct RoundedQuery(QuantisedQuery);

impl RoundedQuery {
    /// Rounds a query.
    pub fn of(query: &[f32]) -> Self {
        Self(QuantisedQuery::of(query))
    }

    /// Returns its products with rows of `dimensions` numbers that lie one behind the other, without their scales. They differ from exact ones by
    /// less than a thousandth of the lengths' product.
    #[inline(never)]
    pub fn products(&self, rows: &[i8], dimensions: usize) -> Vec<f32> {
        rows.chunks_exact(dimensions.max(1)).map(|row| self.0.dot(row)).collect()
    }
}

/// The sums of a query's numbers by all signs of eight dimensions, so that a row of signs takes one addition a byte.
#[derive(Debug)]
pub struct SignTable(Vec<[f32; 256]>);

impl SignTable {
    /// Computes the table of a query.
    pub fn of(query: &[f32]) -> Self {
        Self(query.chunks(8).map(sums_by_signs).collect())
    }

    /// Appends the products of the query with rows of signs that lie one behind the other. A row takes a byte for eight dimensions, the first in the
    /// lowest bit; 1 is positive.
    #[inline(never)]
    pub fn products(&self, rows: &[u8], products: &mut Vec<f32>) {
        products.extend(rows.chunks_exact(self.0.len().max(1)).map(|row| self.product(row)));
    }

    fn product(&self, row: &[u8]) -> f32 {
        // Four sums, because each addition would wait for the one before.
        let mut sums = [0f32; 4];
        let ((tables, tables_rest), (row, row_rest)) = (self.0.as_chunks::<4>(), row.as_chunks::<4>());
        for (tables, signs) in tables.iter().zip(row) {
            for ((sum, table), signs) in sums.iter_mut().zip(tables).zip(signs) {
                *sum += at(table, *signs);
            }
        }
        let rest: f32 = tables_rest.iter().zip(row_rest).map(|(table, signs)| at(table, *signs)).sum();
        sums.iter().sum::<f32>() + rest
    }
}

/// Returns the sum for some signs. The index is below the length of the array, which the compiler sees.
fn at(table: &[f32; 256], signs: u8) -> f32 {
    table.get(usize::from(signs)).copied().unwrap_or_default()
}

/// Returns the sums of up to eight numbers by their signs.
fn sums_by_signs(eight: &[f32]) -> [f32; 256] {
    let mut sums = [0f32; 256];
    let [first, ..] = &mut sums;
    *first = -eight.iter().sum::<f32>();
    // Each bit doubles the number of sums that are known; bits of no number change nothing.
    for bit in 0..8 {
        let value = eight.get(bit).copied().unwrap_or_default();
        let (known, next) = sums.split_at_mut(1 << bit);
        next.iter_mut().zip(known).for_each(|(next, known)| *next = *known + 2.0 * value);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_are_those_of_plain_loops(
            query in prop::collection::vec(-1f32..1.0, 1..100), bytes in prop::collection::vec(any::<u8>(), 300),
        ) {
            let levels: Vec<i8> = bytes.iter().map(|byte| *byte as i8).collect();
            let rounded = RoundedQuery::of(&query).products(&levels, query.len());
            prop_assert_eq!(rounded.len(), levels.len() / query.len());
            for (row, product) in levels.chunks_exact(query.len()).zip(rounded) {
                let exact: f32 = query.iter().zip(row).map(|(x, y)| x * f32::from(*y)).sum();
                prop_assert!((product - exact).abs() < 0.5, "{} {}", product, exact);
            }
            let width = query.len().div_ceil(8);
            let mut products = vec![7.0];
            SignTable::of(&query).products(&bytes, &mut products);
            prop_assert_eq!(products.len(), 1 + bytes.len() / width);
            for (row, product) in bytes.chunks_exact(width).zip(products.iter().skip(1)) {
                let sign = |at: usize| if row[at / 8] >> (at % 8) & 1 == 1 { 1.0 } else { -1.0 };
                let exact: f32 = query.iter().enumerate().map(|(at, x)| x * sign(at)).sum();
                prop_assert!((product - exact).abs() < 1e-4, "{} {}", product, exact);
            }
        }
    }
}
