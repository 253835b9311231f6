//! Builds the HNSW graph over a file of vectors natively, on all cores: `graph DIMENSIONS VECTORS.f32 GRAPH`. The module in a
//! page takes it in use by `VectorIndex.setGraph`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;
use vademecum::encoder::normalised;
use vademecum::index::vectors::Vectors;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dimensions, from, to] = arguments.as_slice() else {
        return Err("usage: graph DIMENSIONS VECTORS.f32 GRAPH".into());
    };
    let dimensions: usize = dimensions.parse()?;
    let bytes = std::fs::read(from)?;
    let values: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    let mut vectors = Vectors::new(false);
    for (row, vector) in values.chunks_exact(dimensions).enumerate() {
        vectors.set(row, &normalised(vector)).map_err(vademecum::Error::from)?;
    }
    let started = Instant::now();
    let graph = vectors.build_graph().ok_or("no graph could be built")?;
    std::fs::write(to, graph.to_bytes()?)?;
    println!("{} vectors in {:.0} s", values.len() / dimensions, started.elapsed().as_secs_f64());
    Ok(())
}
