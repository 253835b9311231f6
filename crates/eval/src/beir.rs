//! Labelled sets in the layout of BEIR (Thakur et al., "BEIR: A Heterogeneous Benchmark for Zero-shot
//! Evaluation of Information Retrieval Models", NeurIPS 2021): `corpus.jsonl`, `queries.jsonl` and
//! `qrels/test.tsv`.

use super::metrics::Relevance;
use super::{GoldStep, LabelledQuery};
use crate::errors::dataset_invalid;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use vademecum_protocol::document::{Document, Format};
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_text::terms;

/// A labelled set: documents, and questions about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The name of the folder.
    pub name: String,
    /// The corpus.
    pub documents: Vec<Document>,
    /// The questions with at least one relevant document, in file order.
    pub queries: Vec<LabelledQuery>,
    /// Questions that the documents do not answer, each with the kind of gap, in file order.
    pub unanswerable: Vec<Unanswerable>,
}

/// A question that the documents of a set do not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswerable {
    /// The question.
    pub text: String,
    /// What is missing: `subject`, `document` or `fact`, or any other word; questions of a kind are reported together.
    pub kind: String,
}

/// The contents of a file, and its name for error messages.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// The name.
    pub name: &'a str,
    /// The contents.
    pub text: &'a str,
}

#[derive(Deserialize)]
struct CorpusLine {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
    #[serde(default)]
    metadata: Map<String, Value>,
}

#[derive(Deserialize)]
struct QueryLine {
    #[serde(rename = "_id")]
    id: String,
    text: String,
    #[serde(default)]
    metadata: QueryMetadata,
}

#[derive(Default, Deserialize)]
struct QueryMetadata {
    set: Option<String>,
    answer: Option<String>,
    unanswerable: Option<String>,
    #[serde(default)]
    rows: bool,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    decomposition: Vec<GoldStep>,
}

impl Dataset {
    /// Reads a folder.
    ///
    /// # Errors
    /// `dataset_invalid`, naming the file and the line.
    pub fn read(folder: &Path) -> Result<Self> {
        let read = |name: &str| {
            let path = folder.join(name).display().to_string();
            match std::fs::read_to_string(&path) {
                Ok(text) => Ok((path, text)),
                Err(error) => Err(dataset_invalid(&path, "a file in UTF-8", &error.to_string())),
            }
        };
        let files = [read("corpus.jsonl")?, read("queries.jsonl")?, read("qrels/test.tsv")?];
        let [corpus, queries, qrels] = files.each_ref().map(|(name, text)| File { name, text });
        let whole = folder.canonicalize().ok(); // `.` has no file name
        let name = whole.as_deref().unwrap_or(folder).file_name().unwrap_or_default();
        Self::parse(&name.to_string_lossy(), corpus, queries, qrels)
    }

    /// Parses the contents of the three files.
    ///
    /// A document without text is searched by its title. One without either cannot be found and is omitted,
    /// but counts if it is relevant. `metadata.set` assigns a question to a part of the set; `metadata.answer` is its answer,
    /// `metadata.unanswerable` says why it has none, and `metadata.rows` that its answer is the list of all relevant documents. In a
    /// set with such questions, documents have the metadata of the corpus.
    ///
    /// # Errors
    /// `dataset_invalid`, naming the file and the line.
    pub fn parse(name: &str, corpus: File<'_>, queries: File<'_>, qrels: File<'_>) -> Result<Self> {
        let corpus_lines: Vec<CorpusLine> = json_lines(corpus, |line: &CorpusLine| &line.id)?;
        let query_lines: Vec<QueryLine> = json_lines(queries, |line: &QueryLine| &line.id)?;
        let documents: HashSet<&str> = corpus_lines.iter().map(|line| line.id.as_str()).collect();
        let questions: HashSet<&str> = query_lines.iter().map(|line| line.id.as_str()).collect();
        let mut judged = judgements(qrels, &questions, &documents)?;
        let unanswerable = query_lines.iter().filter_map(|line| {
            let kind = line.metadata.unanswerable.clone()?;
            Some(Unanswerable { text: line.text.clone(), kind })
        });
        let unanswerable: Vec<Unanswerable> = unanswerable.collect();
        let questions = query_lines.into_iter().filter_map(|line| {
            let relevant = judged.remove(&line.id).filter(|relevant| !relevant.is_empty())?;
            let set = line.metadata.set.unwrap_or_else(|| name.to_owned());
            let answers = line.metadata.answer.into_iter().chain(line.metadata.aliases).collect();
            let (decomposition, rows) = (line.metadata.decomposition, line.metadata.rows);
            Some(LabelledQuery { id: line.id, text: line.text, set, relevant, answers, rows, decomposition })
        });
        let queries: Vec<LabelledQuery> = questions.collect();
        if queries.is_empty() {
            return Err(invalid(qrels, 0, "a relevant document for at least one question", "none"));
        }
        let has_rows = queries.iter().any(|query| query.rows);
        let documents = corpus_lines.into_iter().filter_map(|line| document(line, has_rows)).collect();
        Ok(Self { name: name.to_owned(), documents, queries, unanswerable })
    }
}

fn document(line: CorpusLine, has_rows: bool) -> Option<Document> {
    let metadata = if has_rows { line.metadata } else { Map::new() };
    let text = if terms::is_blank(&line.text) { line.title.clone() } else { line.text };
    let title = Some(line.title).filter(|title| !terms::is_blank(title));
    // Ids are not file names: their extension does not indicate the format.
    let format = Some(Format::Text);
    (!terms::is_blank(&text)).then(|| Document { title, format, metadata, ..Document::new(line.id, text) })
}

/// Parses JSON lines with distinct ids.
fn json_lines<T: DeserializeOwned>(file: File<'_>, id: impl Fn(&T) -> &String) -> Result<Vec<T>> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut lines = Vec::new();
    for (number, line) in numbered(file) {
        let read: T = serde_json::from_str(line).map_err(|error| {
            invalid(
                file,
                number,
                "a JSON object with `_id` and `text`",
                &format!("{} ({error})", excerpt(line, 60)),
            )
        })?;
        if let Some(first) = seen.insert(id(&read).clone(), number) {
            let got = format!("{:?}, which line {first} has already", id(&read));
            return Err(invalid(file, number, "an `_id` of its own", &got));
        }
        lines.push(read);
    }
    Ok(lines)
}

/// Parses relevance judgements. A grade of 0 or less means irrelevant, as does a missing line.
fn judgements(
    file: File<'_>,
    questions: &HashSet<&str>,
    documents: &HashSet<&str>,
) -> Result<BTreeMap<String, Relevance>> {
    let mut judged: BTreeMap<String, Relevance> = BTreeMap::new();
    for (number, line) in numbered(file) {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [question, document, grade] = fields.as_slice() else {
            let expected = "query id, document id and grade, with tabs between them";
            return Err(invalid(file, number, expected, &excerpt(line, 60)));
        };
        let grade: i64 = match grade.parse() {
            Ok(grade) => grade,
            Err(_) if number == 1 => continue, // the header line
            Err(_) => return Err(invalid(file, number, "a whole number as grade", grade)),
        };
        for (id, known, which) in
            [(question, questions, "queries.jsonl"), (document, documents, "corpus.jsonl")]
        {
            if !known.contains(id) {
                return Err(invalid(file, number, &format!("an id of {which}"), &format!("{id:?}")));
            }
        }
        if let Ok(grade) = u32::try_from(grade)
            && grade > 0
        {
            judged.entry((*question).to_owned()).or_default().insert((*document).to_owned(), grade);
        }
    }
    Ok(judged)
}

/// Iterates over the lines that are not blank, with line numbers from 1.
fn numbered(file: File<'_>) -> impl Iterator<Item = (usize, &str)> {
    let lines = file.text.trim_start_matches('\u{feff}').lines().enumerate();
    lines.filter(|(_, line)| !line.trim().is_empty()).map(|(at, line)| (at + 1, line))
}

/// Creates an error; `line` 0 denotes the whole file.
fn invalid(file: File<'_>, line: usize, expected: &str, got: &str) -> Error {
    let place = if line == 0 { file.name.to_owned() } else { format!("{}, line {line}", file.name) };
    dataset_invalid(&place, expected, got)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORPUS: &str = r#"{"_id": "a.md", "title": "Cats", "text": "They purr.", "metadata": {}}
{"_id": "b", "text": "Dogs bark."}

{"_id": "c", "title": "Fish", "text": " "}
{"_id": "d", "title": "", "text": ""}"#;
    const QUERIES: &str = r#"{"_id": "1", "text": "who purrs", "metadata": {"set": "easy", "answer": "cats"}}
{"_id": "2", "text": "who barks"}
{"_id": "3", "text": "who flies"}"#;
    const QRELS: &str = "query-id\tcorpus-id\tscore\n1\ta.md\t2\n1\tb\t0\n2\tb\t1\n2\td\t1\n";

    fn parse(corpus: &str, queries: &str, qrels: &str) -> Result<Dataset> {
        Dataset::parse(
            "pets",
            File { name: "corpus.jsonl", text: corpus },
            File { name: "queries.jsonl", text: queries },
            File { name: "qrels/test.tsv", text: qrels },
        )
    }

    #[test]
    fn documents_and_labelled_questions_are_read() {
        let pets = parse(CORPUS, QUERIES, QRELS).unwrap();
        let documents: Vec<(&str, Option<&str>, &str)> = pets
            .documents
            .iter()
            .map(|document| (document.id.as_str(), document.title.as_deref(), document.text.as_str()))
            .collect();
        let expected =
            [("a.md", Some("Cats"), "They purr."), ("b", None, "Dogs bark."), ("c", Some("Fish"), "Fish")];
        assert_eq!(documents, expected);
        assert_eq!(pets.documents[0].format, Some(Format::Text));
        let questions: Vec<(&str, &str)> =
            pets.queries.iter().map(|query| (query.id.as_str(), query.set.as_str())).collect();
        assert_eq!(questions, [("1", "easy"), ("2", "pets")]);
        assert_eq!(pets.queries[0].relevant, Relevance::from([("a.md".into(), 2)]));
        assert_eq!(pets.queries[1].relevant.len(), 2, "what cannot be found is still missed");
    }

    #[test]
    fn documents_have_metadata_in_a_set_whose_answers_are_rows() {
        let corpus = CORPUS.replace(r#""metadata": {}"#, r#""metadata": {"legs": 4}"#);
        let legs = |queries: &str| {
            parse(&corpus, queries, QRELS).unwrap().documents[0].metadata.get("legs").cloned()
        };
        assert_eq!(legs(QUERIES), None);
        let rows = QUERIES.replace(r#""answer": "cats""#, r#""rows": true"#);
        assert_eq!(legs(&rows), Some(4.into()));
        assert!(parse(&corpus, &rows, QRELS).unwrap().queries[0].rows);
    }

    #[test]
    fn a_header_and_line_endings_do_not_matter() {
        let bare = QRELS.split_once('\n').unwrap().1;
        assert_eq!(parse(CORPUS, QUERIES, bare).unwrap(), parse(CORPUS, QUERIES, QRELS).unwrap());
        let dos = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(
            parse(&dos(CORPUS), &dos(QUERIES), &dos(QRELS)).unwrap(),
            parse(CORPUS, QUERIES, QRELS).unwrap()
        );
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let told = |corpus: &str, queries: &str, qrels: &str, words: &[&str]| {
            let error = parse(corpus, queries, qrels).unwrap_err();
            assert_eq!(error.code(), "dataset_invalid");
            for word in words {
                assert!(error.to_string().contains(word), "{error}");
            }
        };
        told("{\"_id\": \"a\"}", QUERIES, QRELS, &["corpus.jsonl, line 1", "text"]);
        told(&format!("{CORPUS}\nnot json"), QUERIES, QRELS, &["corpus.jsonl, line 6", "not json"]);
        told(CORPUS, &format!("{QUERIES}\n{{\"_id\":\"1\",\"text\":\"x\"}}"), QRELS, &["line 4", "line 1"]);
        told(CORPUS, QUERIES, "1\ta.md\t1\n1 b 1", &["qrels/test.tsv, line 2", "tabs"]);
        told(CORPUS, QUERIES, "1\ta.md\t1\n1\tb\tyes", &["line 2", "whole number", "yes"]);
        told(CORPUS, QUERIES, "1\tzebra\t1", &["line 1", "corpus.jsonl", "zebra"]);
        told(CORPUS, QUERIES, "9\tb\t1", &["line 1", "queries.jsonl", "9"]);
        told(CORPUS, QUERIES, "1\tb\t0", &["qrels/test.tsv:", "relevant"]);
    }

    #[test]
    fn a_folder_without_the_files_names_the_one_that_is_missing() {
        let error = Dataset::read(Path::new("no-such-folder")).unwrap_err();
        assert!(error.to_string().contains("no-such-folder/corpus.jsonl"), "{error}");
    }
}
