//! Ignore rules of folders.

use serde_json::json;
use wasm_bindgen::prelude::*;

/// The ignore rules of a folder and of those above it: see [`vademecum_files::Rules`].
#[derive(Debug, Default)]
#[wasm_bindgen]
pub struct Rules(vademecum_files::Rules);

#[wasm_bindgen]
impl Rules {
    /// Creates rules for no folder.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the names of ignore files, in the order of the texts of `enter`.
    pub fn files() -> Vec<String> {
        vademecum_files::Rules::FILES.map(str::to_owned).to_vec()
    }

    /// Adds the rules of a folder, and returns what is wrong with them as JSON: `[file, { code, message }]`.
    pub fn enter(
        &mut self,
        folder: &str,
        gitignore: Option<String>,
        ignore: Option<String>,
        own: Option<String>,
    ) -> String {
        json!(self.0.enter(folder, &[gitignore, ignore, own])).to_string()
    }

    /// Removes the rules of the folder that was entered last.
    pub fn leave(&mut self) {
        self.0.leave();
    }

    /// Returns whether a file or folder is left out.
    #[wasm_bindgen(js_name = leavesOut)]
    pub fn leaves_out(&self, path: &str, is_folder: bool) -> bool {
        self.0.leaves_out(path, is_folder)
    }

    /// Returns the refusal of a folder whose ignore file cannot be read, as JSON.
    pub fn unreadable(name: &str, reason: &str) -> String {
        json!(vademecum_files::Rules::unreadable(name, reason)).to_string()
    }
}
