//! `cargo xtask sizes`: what the page loads, raw and as a server would compress it.

use crate::{Result, command, paths};
use std::process::Command;

const MEASURE: &str = r#"
const fs = require("fs"), path = require("path"), zlib = require("zlib");
const root = process.argv[1];
const walk = (folder) => fs.readdirSync(folder, { withFileTypes: true })
  .flatMap((entry) => entry.isDirectory() ? walk(path.join(folder, entry.name)) : [path.join(folder, entry.name)]);
const loaded = walk(root).filter((file) => /\.(html|css|m?js|wasm|json|onnx|svg)$/.test(file) && !file.endsWith("package.json"));
const rows = loaded.map((file) => {
  const bytes = fs.readFileSync(file);
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 9, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return [path.relative(root, file), bytes.length, zlib.brotliCompressSync(bytes, { params }).length];
}).sort((a, b) => b[1] - a[1]);
const kb = (bytes) => (bytes / 1000).toFixed(1).padStart(10);
console.log("       raw     brotli  (kB)");
for (const [file, raw, small] of rows) console.log(`${kb(raw)} ${kb(small)}  ${file}`);
const sum = (at) => rows.reduce((total, row) => total + row[at], 0);
console.log(`${kb(sum(1))} ${kb(sum(2))}  all`);
"#;

pub fn run() -> Result<()> {
    let site = paths::site();
    if !site.join("index.html").exists() {
        return Err("nothing is built yet; run `cargo xtask demo --release` first".into());
    }
    command::run(Command::new(command::node()?).args(["-e", MEASURE]).arg(site))
}
