//! The wasm module: what `vademecum::web` exports, and nothing else.

use vademecum as _;
