//! The words of a question are matched by texts that say them or mean the same, in embedding the texts.

use super::tokenizer::{json, model};
use futures_util::FutureExt;
use vademecum::cancel::Cancel;
use vademecum::encoder::Kind;
use vademecum::encoder::alignment::{Aligned, Sought};
use vademecum::encoder::kernel::{KernelEmbedder, Loaded};
use vademecum::encoder::model_files::ModelFiles;
use vademecum::encoder::onnx::OnnxOptions;
use vademecum::platform::Native;
use vademecum_kernel::simd::Level;

fn loaded(options: OnnxOptions) -> Option<Box<KernelEmbedder>> {
    let (model, tokenizer) = (model()?, json()?);
    let files = ModelFiles::of("model.onnx", model);
    match KernelEmbedder::load(files, ("tokenizer.json", &tokenizer), options, Level::best()).unwrap() {
        Loaded::Kernel(embedder) => Some(embedder),
        Loaded::Other(reason) => panic!("not run by the kernel: {reason}"),
    }
}

fn align(embedder: &KernelEmbedder, texts: &[&str], question: &str, words: &[&str]) -> Aligned {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let place = |word: &&str| question.find(*word).map(|at| at..at + word.len()).unwrap();
    let sought = Sought { question: question.to_owned(), words: words.iter().map(place).collect() };
    embedder.align(&texts, &sought, &Cancel::default(), &Native::default()).now_or_never().unwrap().unwrap()
}

#[test]
fn a_word_is_matched_by_itself_by_a_synonym_and_not_by_an_unrelated_text() {
    let Some(embedder) = loaded(OnnxOptions::default()) else { return };
    let texts = [
        "The car is in the garage.",
        "The automobile is in the garage.",
        "Whisk the egg whites until stiff.",
    ];
    let found = align(&embedder, &texts, "Where is the car?", &["car"]);
    let [same, synonym, other] = found.matches[..] else { panic!("{:?}", found.matches) };
    assert!(same > synonym && synonym > other + 0.2, "{:?}", found.matches);
    assert!(same <= 1.0 && other < 0.25, "{:?}", found.matches);
}

#[test]
fn a_text_that_leaves_out_a_word_matches_that_word_less() {
    let Some(embedder) = loaded(OnnxOptions::default()) else { return };
    let texts = ["Amsterdam opened its tram line in 1875.", "Rotterdam opened its tram line in 1905."];
    let found = align(&embedder, &texts, "When did the tram of Rotterdam open?", &["tram", "Rotterdam"]);
    let [tram, town, other_tram, other_town] = found.matches[..] else { panic!("{:?}", found.matches) };
    assert!(other_town - town > 0.2 && (tram - other_tram).abs() < 0.2, "{:?}", found.matches);
}

#[test]
fn aligned_texts_have_the_vectors_of_documents_and_are_measured_alone_as_among_others() {
    let prefixes = || OnnxOptions {
        query_prefix: "query: ".into(),
        document_prefix: "passage: ".into(),
        ..OnnxOptions::default()
    };
    let Some(embedder) = loaded(prefixes()) else { return };
    let texts = ["A tide.", "", "The moon pulls the sea.", &"long ".repeat(600)];
    let words = ["moon", "tides"];
    let together = align(&embedder, &texts, "Does the moon make tides?", &words);
    let (owned, cancel, platform) = (texts.map(str::to_owned), Cancel::default(), Native::default());
    let embedded = embedder.embed(&owned, Kind::Document, &cancel, &platform);
    assert_eq!(together.embeddings, embedded.now_or_never().unwrap().unwrap());
    let alone =
        texts.iter().flat_map(|text| align(&embedder, &[text], "Does the moon make tides?", &words).matches);
    assert_eq!(alone.collect::<Vec<f32>>(), together.matches);
    assert_eq!(
        together.rows(4, 2).unwrap()[1],
        [0.0, 0.0],
        "an empty text matches nothing, whatever the prefix"
    );
    assert_eq!(together.rows(4, 3).unwrap_err().code(), "vector_shape");
}

#[test]
fn words_beyond_the_models_input_match_nothing() {
    let Some(embedder) = loaded(OnnxOptions { max_tokens: 16, ..OnnxOptions::default() }) else { return };
    let question = format!("Where is the car {}in the garage?", "now ".repeat(40));
    let found = align(&embedder, &["The car is in the garage."], &question, &["car", "garage"]);
    assert!(found.matches[0] > 0.3 && found.matches[1] == 0.0, "{:?}", found.matches);
    assert!(align(&embedder, &[], &question, &["car"]).matches.is_empty());
}
