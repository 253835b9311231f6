//! LEB128 variable-length integers: seven bits per byte, least significant first; the high bit marks
//! continuation.

/// Appends `value`.
pub(super) fn write(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number from the front of `bytes`; 0 at the end of input.
pub(super) fn read(bytes: &mut &[u8]) -> u32 {
    let mut value = 0;
    let mut shift = 0;
    while let Some((first, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u32::from(first & 0x7f) << shift;
        shift += 7;
        if first & 0x80 == 0 || shift > 28 {
            break;
        }
    }
    value
}
