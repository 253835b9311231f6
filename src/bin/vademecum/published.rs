//! What was published with a model, in the files of sentence-transformers beside it: how token vectors are pooled, and linear maps of
//! the pooled vector. The package reads the same (`published.js`).

use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;
use vademecum::encoder::errors::{model_corrupt, model_unfit};
use vademecum::encoder::model_files::Activation;
use vademecum::encoder::onnx_options::Pooling;
use vademecum::error::{Error, Result};

/// Modules that are read, or that change nothing when a model runs.
const MODULES: [&str; 5] = ["Transformer", "Pooling", "Dense", "Normalize", "Dropout"];

/// The published options.
#[derive(Debug, Default)]
pub(crate) struct Published {
    pub(crate) pooling: Option<Pooling>,
    pub(crate) dense: Vec<(Activation, Vec<u8>)>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
    path: String,
}

/// Reads what was published with a model in a folder.
///
/// # Errors
/// `model_corrupt` for a file that cannot be read; `model_unfit` for a pooling or a module that is not supported.
pub(crate) fn published(folder: &Path) -> Result<Published> {
    let Some(config) = json::<Map<String, Value>>(&folder.join("1_Pooling/config.json"))? else {
        return Ok(Published::default());
    };
    Ok(Published { pooling: pooling(&config, folder)?, dense: dense(folder)? })
}

fn json<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<Option<T>> {
    let Ok(bytes) = std::fs::read(file) else { return Ok(None) };
    let parsed = serde_json::from_slice(&bytes);
    parsed.map(Some).map_err(|error| model_corrupt(&file.display().to_string(), &error.to_string()))
}

fn unfit(folder: &Path, reason: String) -> Error {
    model_unfit(&folder.display().to_string(), &reason)
}

fn pooling(config: &Map<String, Value>, folder: &Path) -> Result<Option<Pooling>> {
    let flags = config.iter().filter(|(name, value)| name.starts_with("pooling_mode_") && **value == true);
    let asked: Vec<&str> = match config.get("pooling_mode").and_then(Value::as_str) {
        Some(name) => vec![name],
        None => flags.map(|(name, _)| name.as_str()).collect(),
    };
    Ok(Some(match asked.as_slice() {
        [] => return Ok(None),
        ["mean" | "pooling_mode_mean_tokens"] => Pooling::Mean,
        ["cls" | "pooling_mode_cls_token"] => Pooling::Cls,
        ["lasttoken" | "pooling_mode_lasttoken"] => Pooling::LastToken,
        others => {
            let reason =
                format!("it was published for a pooling that is not supported, {}", others.join(" and "));
            return Err(unfit(folder, reason));
        }
    }))
}

/// Reads the linear maps that `modules.json` lists.
fn dense(folder: &Path) -> Result<Vec<(Activation, Vec<u8>)>> {
    let modules: Vec<Module> = json(&folder.join("modules.json"))?.unwrap_or_default();
    let name = |module: &Module| module.kind.rsplit('.').next().unwrap_or_default().to_owned();
    if let Some(strange) = modules.iter().find(|module| !MODULES.contains(&name(module).as_str())) {
        return Err(unfit(
            folder,
            format!("it was published with a module that is not supported, {}", strange.kind),
        ));
    }
    let maps = modules.iter().filter(|module| name(module) == "Dense");
    maps.map(|module| map(&folder.join(&module.path))).collect()
}

fn map(folder: &Path) -> Result<(Activation, Vec<u8>)> {
    let config: Map<String, Value> = json(&folder.join("config.json"))?.unwrap_or_default();
    let function = config.get("activation_function").and_then(Value::as_str).unwrap_or_default();
    let activation = match function.rsplit('.').next().unwrap_or_default() {
        "Identity" => Activation::Identity,
        "Tanh" => Activation::Tanh,
        "ReLU" => Activation::Relu,
        "GELU" => Activation::Gelu,
        _ => {
            return Err(unfit(
                folder,
                format!("its dense layer has the function {function}, which is not supported"),
            ));
        }
    };
    let file = folder.join("model.safetensors");
    let weights = std::fs::read(&file).map_err(|error| Error::ModelUnavailable {
        what: "The weights of the model's dense layer",
        url: file.display().to_string(),
        reason: error.to_string(),
    })?;
    Ok((activation, weights))
}
