//! Deterministic pseudorandom numbers.

pub struct Random(pub u64);

impl Random {
    /// Returns the next number (SplitMix64; Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
    /// 2014).
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.draw() % limit.max(1) as u64) as usize
    }

    /// Returns a number from -1 to 1, the mean of three uniform ones, so that most are near 0.
    pub fn float(&mut self) -> f32 {
        (0..3).map(|_| self.below(2001) as f32 / 1000.0 - 1.0).sum::<f32>() / 3.0
    }
}
