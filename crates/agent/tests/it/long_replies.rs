//! Every style handles a long reply in linear time, whatever its characters.

use serde_json::json;
use vademecum::agent::context::TerminatedBy;
use vademecum::agent::event::Event;
use vademecum_testing::agent::{FunctionLlm, says};
use vademecum_testing::in_linear_time;
use vademecum_testing::styles::{run, spec};

#[test]
fn a_megabyte_of_one_character_ends_every_style_in_linear_time() {
    for mark in ["[", "[1]", "[[", "`", "](", "{", "//", "<"] {
        let long = mark.repeat(500_000 / mark.len());
        for style in ["react", "investigate", "graph"] {
            let reply = long.clone();
            let llm = FunctionLlm::new(move |_, _| says(reply.clone()));
            let data = json!({ "name": style });
            let pipeline = spec(data, "When does ACME support end?", json!({ "budget": { "llmCalls": 6 } }));
            let what = format!("{style}, {mark}");
            let (context, recorder) = in_linear_time(&what, || run(&pipeline, &llm));
            // A reply without the requested JSON may only cost the remaining calls.
            let ended = [TerminatedBy::Completed, TerminatedBy::Budget].contains(&context.log.terminated_by);
            assert!(
                ended && context.log.error.is_none(),
                "{what}: {:?}",
                (context.log.terminated_by, context.log.error)
            );
            assert!((1..=6).contains(&context.log.usage.llm_calls), "{what}: {:?}", context.log.usage);
            assert!(
                context.answer.is_some() || context.clarification.is_some(),
                "{what}: it answers all the same"
            );
            let ends = recorder.0.borrow().iter().filter(|event| matches!(event, Event::Done { .. })).count();
            assert_eq!(ends, 1, "{what}");
        }
    }
}
