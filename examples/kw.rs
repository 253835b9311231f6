#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]
use futures_util::FutureExt;
use std::rc::Rc;
use std::time::Instant;
use vademecum::cancel::Cancel;
use vademecum::eval::beir::Dataset;
use vademecum::eval::*;
use vademecum::platform::Native;
use vademecum::retrieve::{KnowledgeBase, Options, Mode, SearchRequest};
fn main() {
    let tokens: usize = std::env::args().nth(1).map_or(128, |t| t.parse().unwrap());
    for dir in ["wiki-multihop", "cranfield"] {
        let data = Dataset::read(std::path::Path::new(&format!("../shared/data/{dir}"))).unwrap();
        let kb = KnowledgeBase::new(None, Rc::new(Native::default()), Options { chunk_tokens: tokens, ..Options::default() });
        let t = Instant::now();
        kb.add("default", data.documents.clone(), &Cancel::default(), &|_| {}).now_or_never().unwrap().unwrap();
        let built = t.elapsed();
        let t = Instant::now();
        for q in &data.queries {
            let r = SearchRequest { query: q.text.clone(), mode: Mode::Keyword, limit: 10, ..Default::default() };
            kb.search(&r, &Cancel::default()).now_or_never().unwrap().unwrap();
        }
        let per = t.elapsed() / data.queries.len() as u32;
        let rows = measure(&kb, &data.queries, ARMS[0], 0.0, &Cancel::default()).now_or_never().unwrap().unwrap();
        println!("{dir} chunks {} built {:?} per query {:?}", kb.stats().unwrap().chunks, built, per);
        for r in rows { println!("  {r:?}"); }
    }
}
