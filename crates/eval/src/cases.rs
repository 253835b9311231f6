//! Generates evaluation questions from the documents themselves, for libraries without labels: the source
//! document of each question is known to be relevant.

use super::question::question_of;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use vademecum_agent::context::By;
use vademecum_agent::ports::{Caller, ChatRequest, Llm, Source};
use vademecum_agent::prompt;
use vademecum_agent::reply::json;
use vademecum_engine::KnowledgeBase;
use vademecum_firewall::escape::looks_like_a_fence;
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::document::{Chunk, Hit};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::range::Range;
use vademecum_text::terms::Analyzer;

const PROMPT: &str = include_str!("prompts/make_case.md");
/// Number of cases per call.
const COUNT: Range<usize> = Range::new("count", 1, 1000);
/// Number of consecutive failures after which the LLM is not called any more.
const MAX_FAILURES: usize = 3;
/// Maximum length of a question, in bytes.
const MAX_QUESTION_BYTES: usize = 500;

/// Options for generating cases.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CaseOptions {
    /// Number of cases; fewer are made where the documents allow no more.
    #[cfg_attr(feature = "schema", schemars(transform = COUNT.declared()))]
    pub count: usize,
    /// Seed of the choice of documents and passages.
    #[cfg_attr(feature = "schema", schemars(extend("maximum" = vademecum_protocol::schema::MAX_SAFE_INTEGER)))]
    pub seed: u64,
    /// Collections whose documents are taken. Default: all.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<vademecum_protocol::schema::Name>>"))]
    pub collections: Option<Vec<String>>,
}

impl Default for CaseOptions {
    fn default() -> Self {
        Self { count: 50, seed: 1, collections: None }
    }
}

/// A case that `kb.makeCases` made: a generated question and its source.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MadeCase", extend("x-extends" = ["Case"])))]
pub struct Case {
    /// The question.
    pub question: String,
    /// The id of its source document.
    pub relevant: Vec<String>,
    /// The collection of that document.
    pub collection: String,
    /// Whether a rule or an LLM wrote it.
    #[cfg_attr(feature = "schema", schemars(with = "vademecum_protocol::schema::Writer"))]
    pub by: By,
}

/// A question written by rule, and the passage it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    question: String,
    chunk: Chunk,
}

/// Generates cases: [`draft_cases`], then [`write_cases`].
///
/// # Errors
/// Those of the two.
pub async fn make_cases(
    kb: &KnowledgeBase,
    options: &CaseOptions,
    llm: &dyn Llm,
    cancel: &Cancel,
) -> Result<Vec<Case>> {
    write_cases(draft_cases(kb, options, cancel)?, llm, &|| kb.random(), cancel).await
}

/// Lets an LLM, if there is one, rewrite the questions; keeps the draft if its reply is unusable. Drops
/// drafts about documents marked `neverSend`. `random` must return unpredictable numbers.
///
/// # Errors
/// [`Error::Aborted`].
pub async fn write_cases(
    drafts: Vec<Draft>,
    llm: &dyn Llm,
    random: &dyn Fn() -> u64,
    cancel: &Cancel,
) -> Result<Vec<Case>> {
    let mut failed = 0;
    let mut cases = Vec::new();
    for Draft { question, chunk } in drafts.into_iter().filter(|draft| !draft.chunk.never_sent()) {
        let (relevant, collection) = (vec![chunk.doc_id.clone()], chunk.collection.clone());
        let mut case = Case { question, relevant, collection, by: By::Rule };
        if llm.has(None) && failed < MAX_FAILURES {
            let asked = cancel.guard(ask(llm, &chunk, random())).await?;
            failed = match &asked {
                Ok(_) => 0,
                // A veto concerns this request only.
                Err(Error::SendDenied { .. }) => failed,
                Err(_) => failed + 1,
            };
            if let Some(question) = asked.ok().flatten() {
                (case.question, case.by) = (question, By::Llm);
            }
        }
        cases.push(case);
    }
    Ok(cases)
}

/// Asks an LLM for a question about a passage; `None` if the reply is not a question, or copied from the
/// passage.
async fn ask(llm: &dyn Llm, chunk: &Chunk, fence: u64) -> Result<Option<String>> {
    let hit = Hit { chunk: chunk.clone(), score: 0.0, explain: None };
    let values = prompt::fenced(fence, std::slice::from_ref(&hit), CitationStyle::Number);
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut request = ChatRequest::text(None, prompt::fill(PROMPT, &values), false);
    request.sources = vec![Source {
        chunk_id: chunk.id.clone(),
        doc_id: chunk.doc_id.clone(),
        collection: chunk.collection.clone(),
    }];
    let reply = llm.complete(Caller { step: "make_case", llm: None }, &request, &|_| {}).await?;
    let question =
        json::find(&reply.content, |value| json::text(json::field(value, &["question", "query"])?));
    // Accept a bare question without JSON.
    let plain = reply.content.trim();
    let question =
        question.or_else(|| (plain.ends_with('?') && plain.lines().count() == 1).then(|| plain.to_owned()));
    Ok(question.filter(|question| {
        let quotes_prompt =
            question.lines().any(looks_like_a_fence) || question.contains(&format!("{fence:016x}"));
        question.len() <= MAX_QUESTION_BYTES
            && question.contains(char::is_alphabetic)
            && !chunk.text.contains(question)
            && !quotes_prompt
    }))
}

/// Generates questions by rule. Uses only documents that may be sent, because an LLM may be asked these
/// questions later. Iterates over the documents in an order determined by the seed, taking another passage of
/// each in every round.
///
/// # Errors
/// [`Error::InvalidArgument`] for a count out of range, [`Error::UnknownCollection`], [`Error::Closed`],
/// [`Error::Aborted`].
pub fn draft_cases(kb: &KnowledgeBase, options: &CaseOptions, cancel: &Cancel) -> Result<Vec<Draft>> {
    COUNT.check(options.count)?;
    let survey = kb.survey(options.collections.as_deref())?;
    let stats = kb.stats()?;
    let languages = stats.collections.iter().map(|one| (one.name.as_str(), one.language.unwrap_or_default()));
    let analyzers: BTreeMap<&str, Analyzer> =
        languages.map(|(name, language)| (name, Analyzer::new(language))).collect();
    let plain = Analyzer::default();
    let mut known: HashMap<String, f64> = HashMap::new();
    let mut weight = |term: &str| {
        *known.entry(term.to_owned()).or_insert_with(|| {
            // Inverse document frequency: high for a term in no other chunk, 0 for one in every chunk.
            ((survey.chunks() + 1) as f64 / (survey.chunks_with(term) + 1) as f64).ln()
        })
    };
    let mut random = Random(options.seed);
    let mut ids = survey.document_ids();
    random.shuffle(&mut ids);
    let mut waiting: VecDeque<Turn> = ids.into_iter().map(Turn::Closed).collect();
    let mut asked = HashSet::new();
    let mut made = Vec::new();
    while made.len() < options.count {
        let Some(turn) = waiting.pop_front() else { break };
        cancel.check()?;
        let mut chunks = match turn {
            Turn::Open(chunks) => chunks,
            Turn::Closed((collection, id)) => {
                let mut chunks = kb.document(&collection, &id)?.chunks;
                random.shuffle(&mut chunks);
                chunks
            }
        };
        while let Some(chunk) = chunks.pop() {
            let analyzer = analyzers.get(chunk.collection.as_str()).unwrap_or(&plain);
            let Some(question) = question_of(&chunk.text, analyzer, &mut weight) else { continue };
            if !asked.insert(question.clone()) {
                continue;
            }
            made.push(Draft { question, chunk });
            waiting.push_back(Turn::Open(chunks));
            break;
        }
    }
    Ok(made)
}

/// A document in the queue.
enum Turn {
    /// Not loaded yet: its collection and id.
    Closed((String, String)),
    /// Its remaining chunks.
    Open(Vec<Chunk>),
}

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014): small,
/// and identical on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, (self.next() % (at as u64 + 1)) as usize);
        }
    }
}
