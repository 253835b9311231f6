#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    unused
)]
use std::collections::*;
use vademecum::document::Format;
use vademecum::eval::beir::Dataset;
use vademecum::text::terms::*;
use vademecum::text::{chunk, structure};
#[derive(Clone, Debug)]
struct P {
    k1: f32,
    b: f32,
    tw: f32,
    tlen: f32,
    exact: f32,
    prox: f32,
    caps: f32,
    title_in_q: f32,
    coord: f32,
    stem: bool,
    sib: f32,
    win: usize,
}
struct Unit {
    doc: usize,
    seq: Vec<u32>,
    eseq: Vec<u32>,
    title: Vec<u32>,
    etitle: Vec<u32>,
}
fn main() {
    for whole in [true, false] {
        for dir in ["wiki-multihop", "cranfield"] {
            let data = Dataset::read(std::path::Path::new(&format!("../shared/data/{dir}"))).unwrap();
            let an = Analyzer::new(Language::English);
            let ex = Analyzer::new(Language::Other);
            let mut ids: HashMap<String, u32> = HashMap::new();
            let mut id = |s: &str, ids: &mut HashMap<String, u32>| {
                let n = ids.len() as u32;
                *ids.entry(s.into()).or_insert(n)
            };
            let mut units = vec![];
            for (d, doc) in data.documents.iter().enumerate() {
                let st = structure::read(doc.text.clone(), Format::Text);
                let title = doc.title.clone().unwrap_or_default();
                let mut b = chunk::Budget::estimated(if whole { 1 << 20 } else { 128 });
                b.title = doc.title.as_deref();
                for p in chunk::chunk(&st, &b) {
                    let text = &st.text[p.bytes.clone()];
                    let mut f = |t: &str, a: &Analyzer, tag: &str, ids: &mut HashMap<String, u32>| {
                        let mut v = vec![];
                        for (_, w) in words(t) {
                            if an.stop_word(w).is_some() {
                                continue;
                            }
                            a.word(w, &mut |x| v.push(id(&format!("{tag}{x}"), ids)));
                        }
                        v
                    };
                    units.push(Unit {
                        doc: d,
                        seq: f(text, &an, "", &mut ids),
                        eseq: f(text, &ex, "=", &mut ids),
                        title: f(&title, &an, "", &mut ids),
                        etitle: f(&title, &ex, "=", &mut ids),
                    });
                }
            }
            let n = units.len() as f32;
            let mut run = |p: &P| {
                let mut post: HashMap<u32, Vec<(u32, f32)>> = HashMap::new();
                let mut len = vec![];
                for (u, x) in units.iter().enumerate() {
                    let mut m: HashMap<u32, f32> = HashMap::new();
                    for t in &x.seq {
                        *m.entry(*t).or_default() += 1.0
                    }
                    for t in &x.title {
                        *m.entry(*t).or_default() += p.tw
                    }
                    if p.exact > 0.0 {
                        for t in &x.eseq {
                            *m.entry(*t).or_default() += 1.0
                        }
                        for t in &x.etitle {
                            *m.entry(*t).or_default() += p.tw
                        }
                    }
                    len.push(x.seq.len() as f32 + p.tlen * x.title.len() as f32);
                    for (t, f) in m {
                        post.entry(t).or_default().push((u as u32, f));
                    }
                }
                let avg = len.iter().sum::<f32>() / n;
                let mut sums: BTreeMap<String, (f64, f64, usize)> = BTreeMap::new();
                for q in &data.queries {
                    let mut terms: Vec<(u32, f32)> = vec![];
                    let mut order: Vec<u32> = vec![];
                    let mixed = q.text.chars().any(|c| c.is_lowercase());
                    for (at, w) in words(&q.text) {
                        if an.stop_word(w).is_some() {
                            continue;
                        }
                        let cap = at > 0 && w.chars().next().unwrap().is_uppercase() && mixed;
                        let wt = if cap { p.caps } else { 1.0 };
                        an.word(w, &mut |x| {
                            if let Some(i) = ids.get(x) {
                                if !terms.iter().any(|t| t.0 == *i) {
                                    terms.push((*i, wt));
                                }
                                order.push(*i);
                            }
                        });
                        if p.exact > 0.0 {
                            ex.word(w, &mut |x| {
                                if let Some(i) = ids.get(&format!("={x}")) {
                                    if !terms.iter().any(|t| t.0 == *i) {
                                        terms.push((*i, wt * p.exact));
                                    }
                                }
                            });
                        }
                    }
                    let idf = |t: u32| {
                        let df = post.get(&t).map_or(0.0, |l| l.len() as f32);
                        (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
                    };
                    let mut acc: HashMap<u32, (f32, f32)> = HashMap::new();
                    for (t, w) in &terms {
                        if let Some(l) = post.get(t) {
                            let i = idf(*t);
                            for (u, f) in l {
                                let norm = p.k1 * (1.0 - p.b + p.b * len[*u as usize] / avg);
                                let e = acc.entry(*u).or_default();
                                e.0 += w * i * f * (p.k1 + 1.0) / (f + norm);
                                e.1 += i * w;
                            }
                        }
                    }
                    let tot: f32 = terms.iter().map(|t| idf(t.0) * t.1).sum();
                    let mut r: Vec<(u32, f32)> =
                        acc.into_iter().map(|(u, (s, m))| (u, s * (1.0 + p.coord * m / tot))).collect();
                    r.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    r.truncate(200);
                    if p.prox > 0.0 || p.title_in_q > 0.0 {
                        let pairs: HashSet<(u32, u32)> = order.windows(2).map(|w| (w[0], w[1])).collect();
                        for (u, s) in &mut r {
                            let x = &units[*u as usize];
                            if p.prox > 0.0 {
                                let mut c: HashMap<(u32, u32), f32> = HashMap::new();
                                for seq in [&x.title, &x.seq] {
                                    for i in 0..seq.len() {
                                        for j in i + 1..(i + 1 + p.win).min(seq.len()) {
                                            if pairs.contains(&(seq[i], seq[j])) {
                                                *c.entry((seq[i], seq[j])).or_default() += 1.0
                                            } else if p.win > 1 && pairs.contains(&(seq[j], seq[i])) {
                                                *c.entry((seq[j], seq[i])).or_default() += 1.0
                                            }
                                        }
                                    }
                                }
                                let norm = p.k1 * (1.0 - p.b + p.b * len[*u as usize] / avg);
                                for ((a, b), f) in c {
                                    *s += p.prox * idf(a).min(idf(b)) * f * (p.k1 + 1.0) / (f + norm);
                                }
                            }
                            if p.title_in_q > 0.0 && !x.title.is_empty() {
                                let tset: Vec<u32> = x.title.clone();
                                if order.windows(tset.len()).any(|w| w == tset.as_slice()) {
                                    *s += p.title_in_q * tset.iter().map(|t| idf(*t)).sum::<f32>();
                                }
                            }
                        }
                        r.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    }
                    if p.sib > 0.0 {
                        let mut best: HashMap<usize, Vec<(u32, f32)>> = HashMap::new();
                        for (u, s) in &r {
                            best.entry(units[*u as usize].doc).or_default().push((*u, *s));
                        }
                        for (u, s) in &mut r {
                            if let Some(o) = best[&units[*u as usize].doc]
                                .iter()
                                .filter(|x| x.0 != *u)
                                .map(|x| x.1)
                                .max_by(|a, b| a.total_cmp(b))
                            {
                                *s += p.sib * o;
                            }
                        }
                        r.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    }
                    let mut seen = HashSet::new();
                    let mut dcg = 0.0;
                    let mut k = 0;
                    for (u, _) in &r {
                        let d = units[*u as usize].doc;
                        if !seen.insert(d) {
                            continue;
                        }
                        if q.relevant.contains_key(&data.documents[d].id) {
                            dcg += 1.0 / ((k + 2) as f64).log2();
                        }
                        k += 1;
                        if k == 10 {
                            break;
                        }
                    }
                    let rel = q.relevant.len();
                    if rel == 0 {
                        continue;
                    }
                    let ideal: f64 = (0..rel.min(10)).map(|k| 1.0 / ((k + 2) as f64).log2()).sum();
                    let e = sums.entry(q.set.clone()).or_default();
                    e.0 += dcg / ideal;
                    e.2 += 1;
                }
                println!(
                    "{} {:?} {:?}",
                    if whole { "whole" } else { "chunk" },
                    sums.iter()
                        .map(|(k, v)| format!("{} {:.4}", &k[..3], v.0 / v.2 as f64))
                        .collect::<Vec<_>>(),
                    p
                );
            };
            let base = P {
                k1: 1.2,
                b: 0.75,
                tw: 2.0,
                tlen: 0.0,
                exact: 0.0,
                prox: 0.0,
                caps: 1.0,
                title_in_q: 0.0,
                coord: 0.0,
                stem: true,
                sib: 0.0,
                win: 1,
            };
            let t3 = P { tw: 3.0, tlen: 3.0, title_in_q: 0.5, ..base.clone() };
            run(&t3);
            run(&P { sib: 0.1, ..t3.clone() });
            run(&P { sib: 0.2, ..t3.clone() });
            run(&P { sib: 0.3, ..t3.clone() });
            run(&P { prox: 0.25, ..t3.clone() });
            run(&P { prox: 0.25, win: 3, ..t3.clone() });
            run(&P { prox: 0.25, win: 6, ..t3.clone() });
            run(&P { prox: 0.1, win: 8, ..t3.clone() });
            run(&P { prox: 0.25, sib: 0.2, ..t3.clone() });
            run(&P { prox: 0.25, win: 4, sib: 0.2, ..t3.clone() });
            run(&P { prox: 0.25, win: 4, sib: 0.2, exact: 0.25, ..t3.clone() });
            run(&P { prox: 0.25, win: 4, sib: 0.2, tw: 2.0, tlen: 2.0, ..t3.clone() });
            run(&P { title_in_q: 1.0, ..t3.clone() });
            run(&P { title_in_q: 0.25, ..t3.clone() });
            run(&P { sib: 0.2, k1: 0.9, b: 0.4, ..t3.clone() });
            run(&P { sib: 0.2, k1: 1.5, ..t3.clone() });
        }
    }
}
