//! The container: the length of a header in eight bytes, the header in JSON, and the numbers of all tensors.
//!
//! Read here rather than by the crate `safetensors`, which adds 8 KB to what a page loads for a model of another form.

use crate::{Refusal, Result};
use half::{bf16, f16};
use serde_json::{Map, Value};

/// A parsed file.
#[derive(Debug)]
pub(super) struct File<'a> {
    /// The type, the shape and the place of each tensor, by name.
    tensors: Map<String, Value>,
    data: &'a [u8],
}

/// The name of the entry that is no tensor.
const METADATA: &str = "__metadata__";

/// Returns the header and the numbers of a file, or `None` where it has another form.
pub(super) fn parts(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = file.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    rest.split_at_checked(length).filter(|_| rest.first() == Some(&b'{'))
}

impl<'a> File<'a> {
    /// Parses the header, and checks that the file has all numbers and nothing else.
    pub(super) fn parse(file: &'a [u8]) -> Result<Self> {
        let (header, data) = parts(file).ok_or_else(|| Refusal::Corrupt("its header is not whole".into()))?;
        let mut tensors: Map<String, Value> = serde_json::from_slice(header)
            .map_err(|error| Refusal::Corrupt(format!("its header is invalid: {error}")))?;
        tensors.remove(METADATA);
        let places = tensors.iter().map(|(name, tensor)| place(tensor).ok_or_else(|| unreadable(name)));
        let mut places = places.collect::<Result<Vec<_>>>()?;
        places.sort_unstable();
        let mut all = 0;
        for [start, end] in places {
            if start != all || end < start {
                return Err(Refusal::Corrupt(format!("its tensors do not follow each other at byte {all}")));
            }
            all = end;
        }
        if all != data.len() {
            let reason = format!("its header describes {all} bytes of numbers, and it has {}", data.len());
            return Err(Refusal::Corrupt(reason));
        }
        Ok(Self { tensors, data })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Returns the shape and the numbers of a tensor.
    pub(super) fn numbers(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>)> {
        let missing =
            || Refusal::Corrupt(format!("it has no weights `{name}`, which its `config.json` calls for"));
        let tensor = self.tensors.get(name).ok_or_else(missing)?;
        let described = || {
            let shape: Option<Vec<usize>> = tensor.get("shape")?.as_array()?.iter().map(as_size).collect();
            let [start, end] = place(tensor)?;
            Some((shape?, self.data.get(start..end)?, tensor.get("dtype")?.as_str()?))
        };
        let (shape, data, kind) = described().ok_or_else(|| unreadable(name))?;
        let (size, values) = match kind {
            "F32" => (4, each(data, f32::from_le_bytes)),
            "F16" => (2, each(data, |bytes| f16::from_le_bytes(bytes).to_f32())),
            "BF16" => (2, each(data, |bytes| bf16::from_le_bytes(bytes).to_f32())),
            other => return Err(Refusal::Other(format!("its weights `{name}` are of the type {other}"))),
        };
        let bytes = shape.iter().try_fold(size, |all: usize, one| all.checked_mul(*one));
        if bytes != Some(data.len()) {
            let reason = format!("its weights `{name}` have the shape {shape:?} and {} bytes", data.len());
            return Err(Refusal::Corrupt(reason));
        }
        Ok((shape, values))
    }
}

fn unreadable(name: &str) -> Refusal {
    Refusal::Corrupt(format!("its header does not describe the weights `{name}`"))
}

fn as_size(value: &Value) -> Option<usize> {
    value.as_u64()?.try_into().ok()
}

/// Returns where the numbers of a tensor begin and end.
fn place(tensor: &Value) -> Option<[usize; 2]> {
    let [start, end] = tensor.get("data_offsets")?.as_array()?.as_slice() else { return None };
    Some([as_size(start)?, as_size(end)?])
}

/// Reads little-endian numbers, and ignores an incomplete last one: the caller compares the length with the shape.
fn each<const N: usize>(data: &[u8], read: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    data.as_chunks().0.iter().map(|bytes| read(*bytes)).collect()
}
