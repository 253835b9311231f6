//! Writes the generated files: `cargo xtask generate`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::io::Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in vademecum_schema::files() {
        std::fs::write(root.join(&file.path), file.text)?;
    }
    Ok(())
}

#[cfg(target_arch = "wasm32")]
fn main() {}
