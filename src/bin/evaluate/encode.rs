//! Computes missing embeddings on all cores.

use crate::arguments::EncoderFiles;
use crate::cache::{Cache, Embedded, Key, key};
use futures_util::FutureExt;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use vademecum::Result;
use vademecum::cancel::Cancel;
use vademecum::encoder::kernel::{Activations, Level};
use vademecum::encoder::model_files::ModelFiles;
use vademecum::encoder::native::NativeEmbedder;
use vademecum::encoder::onnx::{Backend, OnnxOptions, Tokens};
use vademecum::encoder::onnx_options::Rounding;
use vademecum::encoder::{Counter, Kind};
use vademecum::error::Error;
use vademecum::eval::LabelledQuery;
use vademecum::platform::Native;

/// Counting stops at this number of tokens, which no chunk reaches.
const MAX_COUNT: usize = 1 << 14;
/// Number of texts per job.
const JOB: usize = 16;
/// Number of embeddings between two saves: the maximum loss of an interrupted run.
const SAVE_AFTER: usize = 1024;
/// Number of questions embedded to measure the time per question.
const TIMED: usize = 50;

/// A text to embed.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    kind: Kind,
    text: String,
    key: Key,
}

impl Text {
    pub(crate) fn new(kind: Kind, text: &str) -> Self {
        Self { kind, text: text.to_owned(), key: key(kind, text) }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

/// The files of an encoder, from which each thread creates its own.
#[derive(Debug)]
pub(crate) struct Encoders {
    runtime: String,
    model: ModelFiles,
    tokenizer: Vec<u8>,
    pub(crate) options: OnnxOptions,
    level: Level,
}

impl Encoders {
    pub(crate) fn new(files: &EncoderFiles) -> Result<Self, String> {
        let read = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        let (backend, level) = backend(files.backend.as_deref())?;
        Ok(Self {
            runtime: files.runtime.display().to_string(),
            model: ModelFiles {
                config: files.config.as_deref().map(read).transpose()?,
                ..ModelFiles::of(files.model.display().to_string(), read(&files.model)?)
            },
            tokenizer: read(&files.tokenizer)?,
            // An int8 model scales by the largest value of a batch, so a text's vector is only reproducible,
            // and cacheable, if it is embedded alone.
            options: OnnxOptions {
                batch_tokens: 1,
                backend,
                weights: files.is_rounded.then_some(Rounding::Int8),
                ..OnnxOptions::default()
            },
            level,
        })
    }

    pub(crate) fn load(&self) -> Result<NativeEmbedder> {
        let tokenizer = ("tokenizer.json", self.tokenizer.as_slice());
        wait(NativeEmbedder::load(&self.runtime, &self.model, tokenizer, self.options.clone(), self.level))
    }

    /// Returns the name of the kernel's instructions.
    pub(crate) const fn level_name(&self) -> &'static str {
        self.level.name()
    }

    /// Returns the least cosine that is expected with the vectors of int8 weights and activations in 32-bit floats.
    pub(crate) const fn least_cosine(&self) -> f32 {
        let has_own_weights = self.model.config.is_some(); // safetensors: in 32-bit floats
        match self.level.activations() {
            Activations::I16 if !has_own_weights => 0.9999,
            _ => 0.99,
        }
    }

    /// Returns the model's token counter.
    pub(crate) fn counter(&self) -> Result<Counter> {
        let tokens = Tokens::load(&self.tokenizer, "tokenizer.json", MAX_COUNT)?;
        Ok(Rc::new(move |text| tokens.count(text)))
    }

    /// Returns a hash of everything besides the text that embeddings depend on.
    pub(crate) fn fingerprint(&self) -> String {
        let hash = Sha256::new()
            .chain_update(Sha256::digest(&self.model.model))
            .chain_update(Sha256::digest(&self.tokenizer))
            .chain_update(format!("{:?} {}", self.options, self.level.name()));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Returns the back end and the instructions of a name.
fn backend(name: Option<&str>) -> Result<(Backend, Level), String> {
    let levels = Level::all();
    let names = || levels.iter().map(|level| level.name()).collect::<Vec<_>>();
    match name {
        None => Ok((Backend::Kernel, Level::best())),
        Some("onnxruntime") => Ok((Backend::OnnxRuntime, Level::best())),
        Some(name) => {
            let level = levels.iter().find(|level| level.name() == name);
            let level = level
                .ok_or_else(|| format!("--backend is onnxruntime or one of {:?}, not `{name}`", names()))?;
            Ok((Backend::Kernel, *level))
        }
    }
}

/// Embeds what the cache lacks. Returns the number of embeddings and the time taken.
pub(crate) fn missing(
    encoders: &Encoders,
    cache: &mut Cache,
    texts: Vec<Text>,
) -> Result<(usize, Duration), String> {
    let started = Instant::now();
    let mut seen = HashSet::new();
    let mut open: Vec<Text> =
        texts.into_iter().filter(|text| cache.get(&text.key).is_none() && seen.insert(text.key)).collect();
    if open.is_empty() {
        return Ok((0, started.elapsed()));
    }
    // Jobs are taken from the end: the longest first, so that threads finish together.
    open.sort_by_key(|text| text.text.len());
    let all = open.len();
    let jobs = Mutex::new(open.chunks(JOB).collect::<Vec<_>>());
    let (sender, done) = channel();
    thread::scope(|scope| {
        for _ in 0..cores() {
            let (sender, jobs) = (sender.clone(), &jobs);
            scope.spawn(move || work(encoders, jobs, &sender));
        }
        drop(sender);
        collect(cache, all, started, done.iter())
    })
    .map_err(|error| error.to_string())?;
    cache.save()?;
    Ok((all, started.elapsed()))
}

/// Returns the number of threads.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

type Made = Result<Vec<(Key, Embedded)>>;

/// Processes jobs until none is left or the receiver is gone.
fn work(encoders: &Encoders, jobs: &Mutex<Vec<&[Text]>>, sender: &Sender<Made>) {
    let embedder = match encoders.load() {
        Ok(embedder) => embedder,
        Err(error) => return sender.send(Err(error)).unwrap_or_default(),
    };
    let next = || jobs.lock().ok()?.pop();
    while let Some(job) = next() {
        if sender.send(job.iter().map(|text| embed(&embedder, text)).collect()).is_err() {
            return;
        }
    }
}

/// Embeds a single text.
pub(crate) fn embed(embedder: &NativeEmbedder, text: &Text) -> Result<(Key, Embedded)> {
    let texts = std::slice::from_ref(&text.text);
    let made = wait(embedder.embed(texts, text.kind, &Cancel::default(), &Native::default()))?;
    let row = made.into_rows(1)?.pop();
    let (vector, truncated) = row.ok_or(Error::EmbedderFailed { reason: "it gave no vector".into() })?;
    Ok((text.key, Embedded { vector, truncated }))
}

fn collect(cache: &mut Cache, all: usize, started: Instant, made: impl Iterator<Item = Made>) -> Result<()> {
    let (mut count, mut shown, mut saved) = (0, Instant::now(), 0);
    for job in made {
        for (key, row) in job? {
            cache.insert(key, row);
            count += 1;
        }
        if shown.elapsed() > Duration::from_secs(5) {
            shown = Instant::now();
            println!("  embedded {count} of {all} in {:.0} s", started.elapsed().as_secs_f64());
        }
        if count - saved >= SAVE_AFTER {
            saved = count;
            cache.save().map_err(|reason| Error::EmbedderFailed { reason })?;
        }
    }
    Ok(())
}

/// Returns the milliseconds per question.
pub(crate) fn question_ms(encoders: &Encoders, queries: &[LabelledQuery]) -> Result<f64, String> {
    let embedder = encoders.load().map_err(|error| error.to_string())?;
    let questions: Vec<Text> =
        queries.iter().take(TIMED).map(|query| Text::new(Kind::Query, &query.text)).collect();
    let started = Instant::now();
    for question in &questions {
        embed(&embedder, question).map_err(|error| error.to_string())?;
    }
    Ok(started.elapsed().as_secs_f64() * 1000.0 / questions.len().max(1) as f64)
}

/// Resolves a native encoder call, which is synchronous.
pub(crate) fn wait<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let ended = work.now_or_never();
    ended.unwrap_or(Err(Error::EmbedderFailed { reason: "it waited for something".into() }))
}
