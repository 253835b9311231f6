//! Times the kernel beside an ONNX runtime with the same model, in turn in one process.

use crate::arguments::Arguments;
use crate::encode::{Encoders, cores, wait};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};
use vademecum::cancel::Cancel;
use vademecum::encoder::Kind;
use vademecum::encoder::native::NativeEmbedder;
use vademecum::encoder::onnx::{Backend, OnnxOptions};
use vademecum::platform::Native;

/// Number of tokens of a passage, to which the encoder cuts it.
const TOKENS: usize = 128;
/// Passages that are computed as one batch, on one thread of the kernel.
const BATCH: usize = 4;
/// A question of twelve tokens, special ones included.
const QUESTION: &str = "how does the moon pull the sea twice a day";
const QUESTION_TOKENS: usize = 12;
/// Questions per turn.
const QUESTIONS: usize = 20;
/// Threads of the runtime go on looking for work for a moment, which the next contestant would pay for.
const REST: Duration = Duration::from_millis(50);

const WORDS: [&str; 24] = [
    "moon", "sea", "tide", "dough", "cold", "kitchen", "crust", "steam", "owl", "hedge", "train", "harbour",
    "salt", "coffee", "letter", "rope", "the", "a", "of", "and", "under", "before", "rises", "leaves",
];

/// Does some work, and returns the milliseconds that it took.
type Work<'a> = &'a dyn Fn() -> Result<f64, String>;

/// Prints the milliseconds of each round, one JSON object.
pub(crate) fn run(arguments: &Arguments, rounds: usize) -> Result<(), String> {
    let told = |error: vademecum::error::Error| error.to_string();
    let mut encoders = Encoders::new(&arguments.encoder)?;
    let mut load = |backend, runtime_threads| {
        encoders.options = OnnxOptions {
            backend,
            runtime_threads,
            max_tokens: TOKENS,
            batch_tokens: BATCH * TOKENS,
            ..OnnxOptions::default()
        };
        encoders.load().map_err(told)
    };
    let kernel = load(Backend::Kernel, 1)?;
    let (one, all) = (load(Backend::OnnxRuntime, 1)?, load(Backend::OnnxRuntime, cores())?);
    let each = (0..cores()).map(|_| load(Backend::OnnxRuntime, 1)).collect::<Result<Vec<_>, _>>()?;
    let each = RefCell::new(each);
    let passages = passages(2 * BATCH * cores());
    let questions = [QUESTION.to_owned()];
    for (text, tokens) in passages.iter().map(|text| (text, TOKENS)).chain([(&questions[0], QUESTION_TOKENS)])
    {
        let found = kernel.token_ids(text).map_err(told)?.len();
        if found != tokens {
            return Err(format!("a text has {found} tokens, not {tokens}: {text}"));
        }
    }
    // The kernel computes a call of one batch on the thread of the caller, and batches of one call side by side.
    let of_passages = |embedder, per_call| embed(embedder, &passages, per_call, Kind::Document);
    let of_questions = |embedder| -> Result<f64, String> {
        let all = (0..QUESTIONS).map(|_| embed(embedder, &questions, 1, Kind::Query)).sum::<Result<f64, _>>();
        Ok(all? / QUESTIONS as f64)
    };
    let side_by_side = || beside(&mut each.borrow_mut(), &passages);
    let contestants: [(&str, Work<'_>); 8] = [
        ("passages, kernel, one", &|| of_passages(&kernel, BATCH)),
        ("passages, runtime, one", &|| of_passages(&one, passages.len())),
        ("passages, kernel, all", &|| of_passages(&kernel, passages.len())),
        ("passages, runtime, all", &|| of_passages(&all, passages.len())),
        ("passages, runtime, each", &side_by_side),
        ("question, kernel, one", &|| of_questions(&kernel)),
        ("question, runtime, one", &|| of_questions(&one)),
        ("question, runtime, all", &|| of_questions(&all)),
    ];
    let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    // Who goes first changes with each round, and a first round is not counted.
    for round in 0..=rounds {
        for turn in 0..contestants.len() {
            let Some((name, work)) = contestants.get((turn + round) % contestants.len()) else { continue };
            sleep(REST);
            let time = work()?;
            if round > 0 {
                times.entry(name).or_default().push(time);
            }
        }
    }
    let result: Value = json!({
        "passages": passages.len(), "tokens": TOKENS, "questionTokens": QUESTION_TOKENS, "threads": cores(),
        "rounds": rounds, "instructions": encoders.level_name(), "times": times,
    });
    println!("{result}");
    Ok(())
}

/// Returns the milliseconds to embed texts, so many per call.
fn embed(embedder: &NativeEmbedder, texts: &[String], per_call: usize, kind: Kind) -> Result<f64, String> {
    let started = Instant::now();
    for texts in texts.chunks(per_call) {
        wait(embedder.embed(texts, kind, &Cancel::default(), &Native::default()))
            .map_err(|error| error.to_string())?;
    }
    Ok(started.elapsed().as_secs_f64() * 1000.0)
}

/// Returns the milliseconds in which embedders, each on a thread of its own, share texts in equal parts.
fn beside(embedders: &mut [NativeEmbedder], texts: &[String]) -> Result<f64, String> {
    let started = Instant::now();
    let share = texts.len().div_ceil(embedders.len().max(1));
    std::thread::scope(|scope| {
        let part = |(embedder, texts): (&mut NativeEmbedder, &[String])| {
            embed(embedder, texts, texts.len(), Kind::Document).map(|_| ())
        };
        let work = embedders.iter_mut().zip(texts.chunks(share));
        let threads: Vec<_> = work.map(|work| scope.spawn(move || part(work))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread crashed".to_owned())?)
    })?;
    Ok(started.elapsed().as_secs_f64() * 1000.0)
}

/// Returns texts of different words, which the encoder cuts to the same length.
fn passages(count: usize) -> Vec<String> {
    let text = |at: usize| -> String {
        let words = (0..TOKENS).filter_map(|n| WORDS.get((n * (at % 5 + 1) + n / 7 + at) % WORDS.len()));
        words.copied().collect::<Vec<_>>().join(" ")
    };
    (0..count).map(text).collect()
}
