//! The head that follows an encoder's layers is read from a graph with its weights.

use prost::Message;
use vademecum_kernel::head::{Activation, Dense, Head, Input};
use vademecum_model::Refusal;
use vademecum_model::onnx::{Model, proto};
use vademecum_testing::bert::{Output, Shape, linear, onnx, weights};

const WIDTH: usize = 32;

fn shape(is_quantised: bool) -> Shape {
    Shape { heads: 2, width: WIDTH, inner: 48, layers: 2, is_quantised }
}

fn parsed(output: &Output, is_quantised: bool) -> Model {
    Model::parse(onnx(&weights(&shape(is_quantised), 5), output)).unwrap()
}

#[test]
fn a_made_graph_has_the_weights_that_it_was_made_of() {
    for is_quantised in [false, true] {
        let expected = weights(&shape(is_quantised), 5);
        let found = parsed(&Output::Tokens, is_quantised).encoder("last_hidden_state").unwrap();
        assert_eq!((found.heads, found.layers.len()), (2, 2));
        assert!(found.words == expected.words && found.positions == expected.positions);
        assert!(found.segments == expected.segments);
        for (found, expected) in found.layers.iter().zip(&expected.layers) {
            assert!(found.query.weights == expected.query.weights && found.query.bias == expected.query.bias);
            assert!(found.outer.weights == expected.outer.weights);
            assert!((found.scale - expected.scale).abs() < 1e-6);
        }
    }
}

#[test]
fn a_sentence_head_is_the_mean_a_map_and_no_normalisation() {
    let dense = linear(48, WIDTH, 9);
    let expected = Head { input: Input::Mean, maps: vec![Dense::new(&dense, Activation::Tanh)] };
    let model = parsed(&Output::Sentence(dense), false);
    let (weights, head) = model.with_head("sentence_embedding").unwrap();
    assert_eq!((weights.layers.len(), head.outputs(WIDTH)), (2, 48));
    assert_eq!(head, expected);
    // Its token vectors are an output as well.
    assert!(model.encoder("token_embeddings").is_ok());
    assert!(matches!(model.with_head("token_embeddings"), Err(Refusal::Other(_))));
}

#[test]
fn a_classifier_is_a_pooler_of_the_first_token_and_a_map() {
    let output = Output::logits(WIDTH, 1);
    let Output::Logits { pooler, classifier } = &output else { unreachable!() };
    let maps = vec![Dense::new(pooler, Activation::Tanh), Dense::new(classifier, Activation::Identity)];
    let (_, head) = parsed(&output, true).with_head("logits").unwrap();
    assert_eq!(head, Head { input: Input::FirstToken, maps });
}

#[test]
fn the_entries_of_a_span_head_are_found_by_the_names_of_the_outputs() {
    let output = Output::spans(WIDTH);
    let Output::Spans(map) = &output else { unreachable!() };
    let model = parsed(&output, false);
    let (_, head, spans) = model.with_spans("start_logits", "end_logits").unwrap();
    let maps = vec![Dense::new(map, Activation::Identity)];
    assert_eq!((head, spans), (Head { input: Input::EachToken, maps }, [0, 1]));
    let (_, _, swapped) = model.with_spans("end_logits", "start_logits").unwrap();
    assert_eq!(swapped, [1, 0]);
    assert!(matches!(model.with_spans("start_logits", "none"), Err(Refusal::Other(_))));
}

#[test]
fn heads_that_compute_something_else_are_refused_with_the_operator() {
    let refused = |change: fn(&mut proto::Node)| {
        let file = onnx(&weights(&shape(false), 5), &Output::logits(WIDTH, 1));
        let mut model = proto::Model::decode(file.as_slice()).unwrap();
        model.graph.as_mut().unwrap().node.iter_mut().for_each(change);
        Model::parse(model.encode_to_vec()).unwrap().with_head("logits").map(|_| ())
    };
    let sigmoid = refused(|node| {
        if node.op_type == "Tanh" {
            node.op_type = "Sigmoid".into();
        }
    });
    assert!(matches!(sigmoid, Err(Refusal::Other(_))), "{sigmoid:?}");
    let of_another_axis = refused(|node| {
        for attribute in &mut node.attribute {
            if node.op_type == "Gather" && attribute.i == 1 {
                attribute.i = 2;
            }
        }
    });
    assert!(matches!(of_another_axis, Err(Refusal::Other(_))), "{of_another_axis:?}");
}
