//! A long reply ends every style in linear time, whatever its letters are.

use serde_json::json;
use vademecum_testing::agent::{FunctionLlm, says};
use vademecum_testing::in_linear_time;
use vademecum_testing::styles::{run, spec};

#[test]
fn a_megabyte_of_one_mark_ends_every_style_in_linear_time() {
    for mark in ["[", "[1]", "[[", "`", "](", "{", "//", "<"] {
        let long = mark.repeat(500_000 / mark.len());
        for style in ["react", "investigate", "graph"] {
            let reply = long.clone();
            let llm = FunctionLlm::new(move |_, _| says(reply.clone()));
            let data = json!({ "name": style });
            let pipeline = spec(data, "When does ACME support end?", json!({ "budget": { "llmCalls": 6 } }));
            in_linear_time(&format!("{style}, {mark}"), || run(&pipeline, &llm));
        }
    }
}
