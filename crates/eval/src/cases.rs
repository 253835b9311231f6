//! Questions made of the documents themselves, where nobody has labelled any: of each it is known which document it comes
//! from.

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
/// Number of cases that are made at once.
const COUNT: Range<usize> = Range::new("count", 1, 1000);
/// An LLM that has failed so often in a row is not asked again.
const FAILURES: usize = 3;
/// No question is longer, in bytes.
const LONGEST: usize = 500;

/// What cases are made of.
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

/// A question, and where its answer is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Case {
    /// The question.
    pub question: String,
    /// The document that it comes from.
    pub relevant: Vec<String>,
    /// The collection of that document.
    pub collection: String,
    /// Who wrote it.
    pub by: By,
}

/// A case by rule, with the passage it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    question: String,
    chunk: Chunk,
}

/// Makes cases: [`draft_cases`], then [`write_cases`].
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

/// Has an LLM, where there is one, write better questions; one that cannot be used is left to the rule. A draft about a document
/// that is never sent makes no case. `random` draws numbers that nobody can guess.
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
        if llm.has(None) && failed < FAILURES {
            let asked = cancel.guard(ask(llm, &chunk, random())).await?;
            failed = match &asked {
                Ok(_) => 0,
                // A veto speaks of this request, and of no other.
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

/// What an LLM asks about a passage; nothing where that is no question, or a part of the passage.
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
    // A question may come as it is.
    let plain = reply.content.trim();
    let question =
        question.or_else(|| (plain.ends_with('?') && plain.lines().count() == 1).then(|| plain.to_owned()));
    Ok(question.filter(|question| {
        let quotes_prompt =
            question.lines().any(looks_like_a_fence) || question.contains(&format!("{fence:016x}"));
        question.len() <= LONGEST
            && question.contains(char::is_alphabetic)
            && !chunk.text.contains(question)
            && !quotes_prompt
    }))
}

/// Cases by rule, of documents that may be sent alone: whatever is asked later may be asked of an LLM. Documents take turns, in an order that the seed decides, and each gives a question about another of its
/// passages when its turn comes again.
///
/// # Errors
/// [`Error::InvalidArgument`] for a count out of range, [`Error::UnknownCollection`], [`Error::Closed`], [`Error::Aborted`].
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
            // What stands nowhere else tells most, and what stands in every chunk nothing.
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

/// A document that waits for its turn.
enum Turn {
    /// Not looked at yet: its collection and id.
    Closed((String, String)),
    /// The chunks that are left of it.
    Open(Vec<Chunk>),
}

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014): small, and the
/// same everywhere.
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
