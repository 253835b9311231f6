//! Containers and sorts with small code size, for use instead of the standard library's where few items are
//! stored: generic code is compiled per type, and would dominate the size of the wasm modules.
//!
//! [`vec_map::Map`] is a map in a sorted vector, [`vec_map::set`] sorts and deduplicates,
//! [`small_sort::sort_by`] is a stable sort, [`utf16::utf16_length`] measures texts as JavaScript does, and [`within::Within`] slices by
//! ranges known to be valid.
//!
//! ```
//! use vademecum_util::vec_map::Map;
//!
//! let mut ages = Map::default();
//! ages.insert("Ada", 36);
//! assert_eq!(ages.get("Ada"), Some(&36));
//! ```

pub mod small_sort;
pub mod utf16;
pub mod vec_map;
pub mod within;
