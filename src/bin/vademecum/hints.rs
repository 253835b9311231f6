//! How to mend an error in this program; the messages of errors speak to JavaScript.

use vademecum::Error;

/// Returns what to do about an error here.
pub(crate) fn hint(error: &Error) -> Option<&'static str> {
    Some(match error.code() {
        "library_corrupt" => {
            "In this program: restore a copy of the file, or build it again with `vademecum build … --fresh`."
        }
        "library_newer" => "In this program: install the latest version of vademecum.",
        "embedder_mismatch" => {
            "In this program: name the library's model with --model, or compute its vectors again with `build … --reembed`."
        }
        "no_embedder" => "In this program: name the library's model with --model, or use --mode keyword.",
        "unknown_collection" => "In this program: `vademecum inspect` lists the collections.",
        "part_missing" | "part_damaged" | "manifest_invalid" => {
            "In this program: write the folder again with `vademecum publish FILE DIR`."
        }
        "folder_empty" => {
            "To remove its documents from the library, run the command again with --allow-empty."
        }
        "storage_full" => "Free some space, or write to another disk. The last good library was kept.",
        _ => return None,
    })
}
