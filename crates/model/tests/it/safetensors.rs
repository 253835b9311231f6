//! Weights read from safetensors are those of the same model in ONNX form.

use vademecum_kernel::head::Activation;
use vademecum_kernel::weights::Weights;
use vademecum_model::Refusal;
use vademecum_model::safetensors::{Model, dense, is_safetensors};
use vademecum_testing::bert::{self, Output, Shape, linear, onnx, safetensors};

const WIDTH: usize = 32;

fn weights() -> Weights {
    bert::weights(&Shape { heads: 2, width: WIDTH, inner: 48, layers: 2, is_quantised: false }, 5)
}

fn parse(file: Vec<u8>, config: &str) -> Result<Model, Refusal> {
    Model::parse(file, config.as_bytes())
}

fn of(output: &Output) -> Model {
    parse(safetensors(&weights(), output), &bert::config(&weights())).unwrap()
}

#[test]
fn both_forms_have_the_same_weights_and_heads() {
    let (logits, spans) = (Output::logits(WIDTH, 2), Output::spans(WIDTH));
    let graph = |output: &Output| vademecum_model::onnx::Model::parse(onnx(&weights(), output)).unwrap();
    let (found, head) = of(&logits).with_head().unwrap();
    let (expected, same) = graph(&logits).with_head("logits").unwrap();
    assert_eq!(head, same);
    assert!(found.words == expected.words && found.positions == expected.positions);
    for (found, expected) in found.layers.iter().zip(&expected.layers) {
        assert!(
            found.query.weights == expected.query.weights && found.outer.weights == expected.outer.weights
        );
        assert!((found.scale - expected.scale).abs() < 1e-6);
    }
    let (_, head, entries) = of(&spans).with_spans().unwrap();
    assert_eq!(
        (head, entries),
        graph(&spans).with_spans("start_logits", "end_logits").map(|(_, h, e)| (h, e)).unwrap()
    );
}

#[test]
fn a_dense_module_is_read_with_its_bias() {
    let map = linear(3, 4, 1);
    let read = dense(&bert::dense(&map), Activation::Identity).unwrap();
    assert_eq!((read.inputs(), read.outputs()), (4, 3));
    assert_eq!(read.run(&[0.0; 4]), map.bias);
    assert!(matches!(dense(b"nothing", Activation::Identity), Err(Refusal::Corrupt(_))));
}

#[test]
fn a_configuration_that_contradicts_the_weights_is_corrupt() {
    let file = safetensors(&weights(), &Output::Tokens);
    let with = |from: &str, to: &str| {
        let config = bert::config(&weights());
        assert!(config.contains(from), "{config}");
        parse(file.clone(), &config.replace(from, to)).and_then(|model| model.encoder()).map(|_| ())
    };
    for (from, to) in [
        (r#""num_hidden_layers":2"#, r#""num_hidden_layers":3"#),
        (r#""num_hidden_layers":2"#, r#""num_hidden_layers":1"#),
        (r#""hidden_size":32"#, r#""hidden_size":48"#),
        (r#""vocab_size":"#, r#""vocab_size":1"#),
        (r#""max_position_embeddings":"#, r#""max_position_embeddings":1"#),
        (r#""intermediate_size":"#, r#""intermediate_size":1"#),
        (r#""num_attention_heads":2"#, r#""num_attention_heads":5"#),
        (r#""num_attention_heads":2"#, r#""num_attention_heads":0"#),
    ] {
        assert!(matches!(with(from, to), Err(Refusal::Corrupt(_))), "{to}");
    }
}

#[test]
fn other_architectures_are_refused_by_what_differs() {
    let file = safetensors(&weights(), &Output::Tokens);
    let with = |from: &str, to: &str| {
        let refused = parse(file.clone(), &bert::config(&weights()).replace(from, to));
        let Err(Refusal::Other(reason)) = refused else { panic!("it was read") };
        reason
    };
    assert_eq!(with(r#""gelu""#, r#""relu""#), "its `hidden_act` is `relu`, not `gelu`");
    assert_eq!(with(r#""bert""#, r#""modernbert""#), "its `model_type` is `modernbert`, not `bert`");
    assert!(with(r#""hidden_size""#, r#""d_model""#).contains("hidden_size"));
    assert!(matches!(of(&Output::Tokens).with_head(), Err(Refusal::Other(_))));
}

#[test]
fn damaged_files_are_corrupt() {
    let file = safetensors(&weights(), &Output::Tokens);
    assert!(is_safetensors(&file) && !is_safetensors(&onnx(&weights(), &Output::Tokens)));
    let config = bert::config(&weights());
    let cut = parse(file[..file.len() - 9].to_vec(), &config);
    assert!(matches!(cut, Err(Refusal::Corrupt(_))));
    let mut broken = file;
    let end = broken.len();
    broken[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    let read = parse(broken, &config).and_then(|model| model.encoder());
    assert!(matches!(read, Err(Refusal::Corrupt(_))));
}

#[test]
fn a_header_that_contradicts_the_file_is_corrupt() {
    let file = safetensors(&weights(), &Output::Tokens);
    let config = bert::config(&weights());
    let length = 8 + u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let (header, data) = (std::str::from_utf8(&file[8..length]).unwrap(), &file[length..]);
    let read = |header: &str| {
        let parts: [&[u8]; 3] = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data];
        parse(parts.concat(), &config).and_then(|model| model.encoder()).map(|_| ())
    };
    assert_eq!(read(header), Ok(()));
    assert_eq!(read(&header.replacen('{', r#"{"__metadata__":{"format":"pt"},"#, 1)), Ok(()));
    let last = format!("{}]", data.len());
    for (from, to) in [
        (last.as_str(), "9]".to_owned()),
        (last.as_str(), format!("{}]", data.len() + 4)),
        (r#""data_offsets""#, r#""offsets""#.to_owned()),
        ("[0,", "[4,".to_owned()),
        ("[0,", "[-4,".to_owned()),
        (r#""shape":["#, format!(r#""shape":[{},{0},{0},"#, u64::MAX)),
        (r#""shape":["#, r#""shape":["2","#.to_owned()),
        (r#""dtype":"F32""#, r#""dtype":32"#.to_owned()),
        ("}}", "}".to_owned()),
    ] {
        assert!(header.contains(from), "{from}");
        let refused = read(&header.replace(from, &to));
        assert!(matches!(refused, Err(Refusal::Corrupt(_))), "{from} → {to}: {refused:?}");
    }
    assert!(matches!(read(&header.replace("F32", "I64")), Err(Refusal::Other(_))));
}
