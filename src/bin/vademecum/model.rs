//! Finds and loads a model's files.

use crate::arguments::ModelArguments;
use crate::embedder::ModelEmbedder;
use crate::host::Host;
use crate::published::published;
use futures_executor::block_on;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use vademecum::encoder::kernel::Level;
use vademecum::encoder::model_files::ModelFiles;
use vademecum::encoder::native::NativeEmbedder;
use vademecum::encoder::onnx::Tokens;
use vademecum::encoder::onnx_options::{Backend, OnnxOptions, Pooling, Rounding};
use vademecum::encoder::wordpiece::WordPiece;
use vademecum::encoder::{Counter, POOLING, UNSETTLED};
use vademecum::error::{Error, Result};

/// Where a model is looked for in its folder.
const FILES: [&str; 3] = ["model.onnx", "onnx/model.onnx", "model.safetensors"];
/// Folder that many models are published with, and which is no name.
const ONNX_FOLDER: &str = "onnx/";
/// Counting stops at this number of tokens: any longer text is too long anyway. The browser counts as far.
const MAX_COUNT: usize = 1 << 14;
/// The variable with the path of an ONNX runtime, for models that the kernel does not run.
const RUNTIME: &str = "ORT_DYLIB_PATH";

/// A model that is not loaded yet.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    folder: PathBuf,
    file: PathBuf,
    /// The id, without the pooling where only the model tells it.
    id: String,
    is_own_id: bool,
    options: OnnxOptions,
}

impl Model {
    /// Finds the model that the options name; none if they name none.
    ///
    /// # Errors
    /// `model_unavailable` if it is not there, `invalid_argument` for a number out of its range.
    pub(crate) fn find(arguments: &ModelArguments) -> Result<Option<Self>> {
        let Some(folder) = arguments.model.clone() else { return Ok(None) };
        let Some(name) = FILES.into_iter().find(|name| folder.join(name).is_file()) else {
            return Err(Error::ModelUnavailable {
                what: "The model",
                url: folder.display().to_string(),
                reason: format!("the folder has none of the files {}", FILES.join(", ")),
            });
        };
        let defaults = OnnxOptions::default();
        let options = OnnxOptions {
            max_tokens: arguments.max_tokens.unwrap_or(defaults.max_tokens),
            query_prefix: arguments.query_prefix.clone().unwrap_or_default(),
            document_prefix: arguments.document_prefix.clone().unwrap_or_default(),
            pooling: arguments.pooling.map(Pooling::from),
            dimensions: arguments.dimensions,
            weights: arguments.weights.map(Rounding::from),
            backend: if std::env::var_os(RUNTIME).is_some() { Backend::Auto } else { Backend::Kernel },
            ..defaults
        };
        let id = arguments.model_id.clone().unwrap_or_else(|| identity(&folder, name, arguments));
        Ok(Some(Self {
            file: folder.join(name),
            folder,
            id,
            is_own_id: arguments.model_id.is_some(),
            options,
        }))
    }

    /// Returns the id, which ends as one of a model whose pooling is not known yet, unless it is.
    pub(crate) fn id(&self) -> String {
        match (self.is_own_id, self.options.pooling) {
            (true, _) | (_, Some(Pooling::Mean)) => self.id.clone(),
            (false, Some(other)) => format!("{}{POOLING}{}", self.id, other.name()),
            (false, None) => format!("{}{UNSETTLED}", self.id),
        }
    }

    /// Returns the maximum number of tokens of a text.
    pub(crate) const fn max_tokens(&self) -> usize {
        self.options.max_tokens
    }

    /// Loads the model and its tokenizer.
    ///
    /// # Errors
    /// `model_unavailable`, and those of [`NativeEmbedder::load`].
    pub(crate) fn load(&self, host: Rc<Host>) -> Result<ModelEmbedder> {
        let tokenizer_file = self.folder.join("tokenizer.json");
        let tokenizer = read("The tokenizer", &tokenizer_file)?;
        let tokenizer_url = tokenizer_file.display().to_string();
        let mut files = ModelFiles::of(self.file.display().to_string(), read("The model", &self.file)?);
        files.config = std::fs::read(self.folder.join("config.json")).ok();
        let mut options = self.options.clone();
        if options.pooling.is_none() {
            let published = published(&self.folder)?;
            (options.published, files.dense) = (published.pooling, published.dense);
        }
        let runtime = std::env::var(RUNTIME).unwrap_or_default();
        let counter = counter(&tokenizer, &tokenizer_url)?;
        let has_dense = !files.dense.is_empty();
        let loading =
            NativeEmbedder::load(&runtime, &files, (&tokenizer_url, &tokenizer), options, Level::best());
        let native = block_on(loading)?;
        let id = match (self.is_own_id || self.options.pooling.is_some(), native.pooling()) {
            (true, _) => self.id(),
            (false, Pooling::Mean) => self.id.clone(),
            (false, other) => format!("{}{POOLING}{}", self.id, other.name()),
        };
        let dense = if has_dense && !self.is_own_id { " dense" } else { "" };
        Ok(ModelEmbedder::new(native, format!("{id}{dense}"), Some(counter), host))
    }
}

fn read(what: &'static str, file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| Error::ModelUnavailable {
        what,
        url: file.display().to_string(),
        reason: error.to_string(),
    })
}

/// Returns the id by which the package identifies a model wherever it is served: the end of its address, and the options that change
/// vectors, by the names they have there.
fn identity(folder: &Path, name: &str, arguments: &ModelArguments) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    // A folder that is itself called `onnx` is no name either.
    let (folder, name) = match (whole.file_name(), whole.parent()) {
        (Some(last), Some(parent)) if last == ONNX_FOLDER.trim_end_matches('/') => {
            (parent, format!("{ONNX_FOLDER}{name}"))
        }
        _ => (whole.as_path(), name.to_owned()),
    };
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut id = format!("{}/{name}", encoded(&folder));
    let numbers = |number: Option<usize>| number.map(|number| number.to_string());
    let told = [
        ("dimensions", numbers(arguments.dimensions)),
        ("documentPrefix", arguments.document_prefix.clone()),
        ("maxTokens", numbers(arguments.max_tokens)),
        ("queryPrefix", arguments.query_prefix.clone()),
        ("weights", arguments.weights.map(|weights| Rounding::from(weights).name().to_owned())),
    ];
    for (key, value) in told.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        id.push_str(&format!(" {key}={value}"));
    }
    id
}

/// Encodes a name as the path of an address has it.
fn encoded(name: &str) -> String {
    let is_kept = |byte: u8| byte.is_ascii_graphic() && !b"\"#<>?`{}".contains(&byte);
    let encode = |byte: u8| if is_kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.bytes().map(encode).collect()
}

/// Returns the counter by which passages are as long as in the browser.
fn counter(tokenizer: &[u8], url: &str) -> Result<Counter> {
    if let Some(tokens) = WordPiece::load(tokenizer, url, MAX_COUNT)? {
        return Ok(Rc::new(move |text| tokens.count(text)));
    }
    let tokens = Tokens::load(tokenizer, url, MAX_COUNT)?;
    Ok(Rc::new(move |text| tokens.count(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::WeightsName;

    #[test]
    fn a_models_id_is_that_of_the_package() {
        let id = |folder: &str, name: &str, arguments: &ModelArguments| {
            identity(Path::new(folder), name, arguments)
        };
        let none = ModelArguments::default();
        assert_eq!(id("/site/models/mini lm", "model.onnx", &none), "mini%20lm/model.onnx");
        assert_eq!(id("/m/bge", "onnx/model.onnx", &none), "bge/onnx/model.onnx");
        assert_eq!(id("/m/bge/onnx", "model.onnx", &none), "bge/onnx/model.onnx");
        let prefixed = ModelArguments {
            query_prefix: Some("query: ".into()),
            max_tokens: Some(256),
            weights: Some(WeightsName::Int8),
            ..ModelArguments::default()
        };
        let expected = "e5/model.onnx maxTokens=256 queryPrefix=query:  weights=int8";
        assert_eq!(id("/m/e5", "model.onnx", &prefixed), expected);
    }
}
