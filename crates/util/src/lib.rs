//! Small containers and sorts: the standard library's take more of a wasm module than the rest of what uses them.
//!
//! ```
//! use vademecum_util::vec_map::Map;
//!
//! let mut ages = Map::default();
//! ages.insert("Ada", 36);
//! assert_eq!(ages.get("Ada"), Some(&36));
//! ```

pub mod small_sort;
pub mod vec_map;
pub mod within;
