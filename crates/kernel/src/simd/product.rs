//! Matrix products of activations with packed weights.

use super::level::{Activations, Level, Set};
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::portable;
use super::tile::{Outputs, Panels, Quantised, Rows, RowsMut, Scale, float_tiles, word_tiles};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::wasm;
#[cfg(target_arch = "x86_64")]
use super::x86;

/// Multiplies floats.
pub fn floats(level: Level, activations: Rows<'_, f32>, panels: &Panels<f32>, into: &mut RowsMut<'_>) {
    match level.0 {
        // SAFETY (of both): a `Level` of this set is only made where the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => unsafe { x86::floats_256(activations, panels, into) },
        #[cfg(target_arch = "x86_64")]
        Set::Vnni { .. } => unsafe { x86::floats_512(activations, panels, into) },
        #[cfg(target_arch = "aarch64")]
        Set::Neon => float_tiles::<neon::Floats, 4, 2>(activations, panels, into),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Set::Simd => float_tiles::<wasm::Floats, 4, 2>(activations, panels, into),
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        Set::Relaxed { .. } => float_tiles::<wasm::Floats, 4, 2>(activations, panels, into),
        Set::Portable => float_tiles::<portable::Floats, 4, 2>(activations, panels, into),
    }
}

/// Multiplies quantised activations with int8 weights.
pub fn ints(
    level: Level,
    activations: &Quantised,
    panels: &Panels<i8>,
    outputs: &Outputs,
    into: &mut RowsMut<'_>,
) {
    match level.0 {
        // SAFETY (of all): a `Level` of this set is only made where the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => unsafe { x86::words_256(activations, panels, outputs, into) },
        #[cfg(target_arch = "x86_64")]
        Set::Vnni { has_bytes: false } => unsafe { x86::words_512(activations, panels, outputs, into) },
        #[cfg(target_arch = "x86_64")]
        Set::Vnni { has_bytes: true } => unsafe { x86::bytes_512(activations, panels, outputs, into) },
        #[cfg(target_arch = "aarch64")]
        Set::Neon => word_tiles::<neon::Words, 4, 2>(activations, panels, outputs, into),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Set::Simd => word_tiles::<wasm::Words, 4, 2>(activations, panels, outputs, into),
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        Set::Relaxed { .. } => {
            super::tile::byte_tiles::<wasm::Bytes, 3, 3>(activations, panels, outputs, into)
        }
        Set::Portable => word_tiles::<portable::Words, 4, 2>(activations, panels, outputs, into),
    }
}

/// Computes products of known operands, the extreme ones included, and compares them with plain sums.
pub fn is_exact(level: Level) -> bool {
    // After the whole tiles, two rows are left, and one.
    is_exact_for(level, 11) && is_exact_for(level, 13)
}

fn is_exact_for(level: Level, rows: usize) -> bool {
    const OUTPUTS: usize = 35;
    const INPUTS: usize = 24;
    let pattern = |at: usize, range: i32| (at as i32 * 89 + 13).rem_euclid(range);
    let weight = |output: usize, input: usize| (pattern(output * 31 + input * 7, 255) - 127) as i8;
    let bytes = || (0..rows * INPUTS).map(|at| if at % 5 == 0 { 255 } else { pattern(at, 256) as u8 });
    let words = || (0..rows * INPUTS).map(|at| pattern(at, 2 * 32_767 + 1) - 32_767);
    let (group, values): (_, Vec<i32>) = match level.activations() {
        Activations::I16 => (2, words().collect()),
        Activations::Bytes { is_signed: false } => (4, bytes().map(i32::from).collect()),
        Activations::Bytes { is_signed: true } => (4, bytes().map(|byte| i32::from(byte as i8)).collect()),
    };
    let mut activations = Quantised {
        words: words().map(|word| word as i16).collect(),
        bytes: bytes().collect(),
        scales: vec![Scale { step: 1.0, zero: 0.0 }; rows],
        ..Quantised::default()
    };
    activations.interleave(level, INPUTS);
    let mut panels = Panels::default();
    panels.pack(level, group, (OUTPUTS, INPUTS), weight);
    let outputs = Outputs { steps: vec![1.0; OUTPUTS], totals: vec![0.0; OUTPUTS], bias: vec![0.0; OUTPUTS] };
    let mut found = vec![0.0; rows * OUTPUTS];
    let mut into = RowsMut { values: &mut found, stride: OUTPUTS, length: OUTPUTS };
    ints(level, &activations, &panels, &outputs, &mut into);
    let expected = values.chunks_exact(INPUTS).flat_map(|row| {
        let product = |output, (input, value): (usize, &i32)| i32::from(weight(output, input)) * value;
        (0..OUTPUTS)
            .map(move |output| row.iter().enumerate().map(|one| product(output, one)).sum::<i32>() as f32)
    });
    found.iter().copied().eq(expected)
}
