#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]
use futures_util::FutureExt;
use std::rc::Rc;
use std::time::Instant;
use vademecum::cancel::Cancel;
use vademecum::eval::beir::Dataset;
use vademecum::eval::*;
use vademecum::platform::Native;
use vademecum::retrieve::{KnowledgeBase, Mode, Options, SearchRequest};
fn main() {
    let tokens: usize = std::env::args().nth(1).map_or(128, |t| t.parse().unwrap());
    for dir in ["wiki-multihop", "cranfield"] {
        let data = Dataset::read(std::path::Path::new(&format!("../shared/data/{dir}"))).unwrap();
        let t = Instant::now();
        let mut st = vec![];
        for d in &data.documents {
            st.push(vademecum::text::structure::read(d.text.clone(), d.format()));
        }
        let t1 = t.elapsed();
        let mut n = 0;
        for s in &st {
            n += vademecum::text::chunk::chunk(s, &vademecum::text::chunk::Budget::estimated(tokens)).len();
        }
        let t2 = t.elapsed() - t1;
        let mut w = 0;
        for s in &st {
            w += vademecum::text::terms::words(&s.text).count();
        }
        println!("read {t1:?} chunk {t2:?} words {:?} {n} {w}", t.elapsed() - t1 - t2);
        let kb = KnowledgeBase::new(
            None,
            Rc::new(Native::default()),
            Options { chunk_tokens: tokens, ..Options::default() },
        );
        let t = Instant::now();
        kb.add("default", data.documents.clone(), &Cancel::default(), &|_| {})
            .now_or_never()
            .unwrap()
            .unwrap();
        let built = t.elapsed();
        let t = Instant::now();
        for q in &data.queries {
            let r =
                SearchRequest { query: q.text.clone(), mode: Mode::Keyword, limit: 10, ..Default::default() };
            kb.search(&r, &Cancel::default()).now_or_never().unwrap().unwrap();
        }
        let per = t.elapsed() / data.queries.len() as u32;
        let rows =
            measure(&kb, &data.queries, ARMS[0], 0.0, &Cancel::default()).now_or_never().unwrap().unwrap();
        println!("{dir} chunks {} built {:?} per query {:?}", kb.stats().unwrap().chunks, built, per);
        for r in rows {
            println!("  {r:?}");
        }
    }
}
