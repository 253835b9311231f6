//! The vectors of a library are those of the model's reference.

use crate::ran::{Folder, model};
use serde_json::Value;

/// Least cosine of two vectors of one sentence.
const LEAST: f32 = 0.999;

#[test]
fn sentences_are_found_by_meaning_as_near_as_their_reference_says() {
    let Some(model) = model() else { return };
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/minilm-reference.json");
    let samples: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let vector = |sample: &Value| -> Vec<f32> {
        let values: Vec<f32> = sample["embedding"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_f64().unwrap() as f32)
            .collect();
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        values.iter().map(|value| value / length).collect()
    };
    let folder = Folder::of(&[]);
    let texts: Vec<&str> = samples.iter().map(|sample| sample["text"].as_str().unwrap()).collect();
    let is_plain =
        |text: &&str| text.chars().any(char::is_alphanumeric) && !text.contains('\n') && text.len() < 300;
    let query = (0..texts.len()).find(|at| is_plain(&texts[*at])).unwrap();
    let lines: String = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| is_plain(text))
        .map(|(at, text)| {
            serde_json::json!({ "id": at.to_string(), "title": " ", "text": text }).to_string() + "\n"
        })
        .collect();
    folder.write("notes/sentences.jsonl", lines);
    folder.build_with(&format!("--model {model}"));
    let line = [
        "search",
        "notes.library",
        texts[query],
        "--mode",
        "vector",
        "--json",
        "--model",
        &model,
        "--top",
        "50",
    ];
    let hits = folder.run(&line).json();
    let hits = hits["hits"].as_array().unwrap();
    assert!(hits.len() > 3, "{hits:?}");
    for hit in hits {
        let at: usize = hit["docId"].as_str().unwrap().rsplit_once('#').unwrap().1.parse().unwrap();
        let expected: f32 =
            vector(&samples[query]).iter().zip(vector(&samples[at])).map(|(one, other)| one * other).sum();
        let found = hit["score"].as_f64().unwrap() as f32;
        assert!((found - expected).abs() < 1.0 - LEAST + 0.005, "{:?}: {found}, not {expected}", texts[at]);
    }
}
