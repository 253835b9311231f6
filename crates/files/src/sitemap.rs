//! Addresses of a site's pages, by the `sitemap.xml` in its output folder.

use crate::xml::{Node, walk};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The file in the root of a site.
pub(crate) const FILE: &str = "sitemap.xml";
/// Maximum size of a sitemap by its standard, in bytes.
const MAX_BYTES: u64 = 50 << 20;
/// Maximum number of sitemaps that an index names.
const MAX_FILES: usize = 1_000;
/// Folders of the address that the output folder may be deployed under.
const MAX_BASE: usize = 3;

/// A page's address, and when it was last changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) url: String,
    pub(crate) modified: Option<String>,
}

/// Returns the pages of a site by the ids of their files; `None` without a sitemap that can be read.
pub(crate) fn pages(root: &Path, ids: &HashSet<&str>) -> Option<HashMap<String, Page>> {
    let mut all = Vec::new();
    let mut waiting = vec![FILE.to_owned()];
    let mut seen = HashSet::new();
    while let Some(name) = waiting.pop() {
        if !seen.insert(name.clone()) || seen.len() > MAX_FILES {
            continue;
        }
        let path = root.join(&name);
        let is_small =
            path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES);
        let Some((pages, others)) =
            is_small.then(|| std::fs::read_to_string(&path).ok()).flatten().and_then(|xml| read(&xml))
        else {
            if name == FILE {
                return None;
            }
            continue;
        };
        all.extend(pages);
        // Sitemaps of an index are beside it; only names are taken, so that nothing outside of the folder is read.
        waiting.extend(others.iter().filter_map(|url| path_of(url).pop()));
    }
    Some(matched(all, ids))
}

/// Returns the pages of a sitemap, and the sitemaps of an index.
fn read(xml: &str) -> Option<(Vec<Page>, Vec<String>)> {
    let (mut pages, mut others) = (Vec::new(), Vec::new());
    let (mut text, mut url, mut modified) = (String::new(), None, None);
    walk(xml, |node| match node {
        Node::Start(..) => text.clear(),
        Node::Text(part) => text.push_str(&part),
        Node::End(name) => match name.as_str() {
            "loc" => url = Some(text.trim().to_owned()),
            "lastmod" => modified = Some(text.trim().to_owned()),
            "url" => pages.extend(url.take().map(|url| Page { url, modified: modified.take() })),
            "sitemap" => others.extend(url.take()),
            _ => {}
        },
    })
    .ok()?;
    Some((pages, others))
}

/// Finds the file of each page. The folder may be deployed under a path, which is the number of leading parts of addresses that
/// gives the most files.
fn matched(pages: Vec<Page>, ids: &HashSet<&str>) -> HashMap<String, Page> {
    let paths: Vec<Vec<String>> = pages.iter().map(|page| path_of(&page.url)).collect();
    let with_base = |base: usize| paths.iter().filter(|path| file_of(path, base, ids).is_some()).count();
    let best = (0..=MAX_BASE)
        .map(|base| (with_base(base), base))
        .reduce(|best, one| if one.0 > best.0 { one } else { best });
    let base = best.map_or(0, |(_, base)| base);
    let file = |(page, path): (Page, &Vec<String>)| Some((file_of(path, base, ids)?, page));
    pages.into_iter().zip(&paths).filter_map(file).collect()
}

/// Returns the file that a server would send for a path: itself, its index, or the page of that name.
fn file_of(path: &[String], base: usize, ids: &HashSet<&str>) -> Option<String> {
    let path = path.get(base..)?.join("/");
    let candidates = match path.as_str() {
        "" => vec!["index.html".to_owned(), "index.htm".to_owned()],
        _ => vec![
            path.clone(),
            format!("{path}/index.html"),
            format!("{path}.html"),
            format!("{path}/index.htm"),
        ],
    };
    candidates.into_iter().find(|file| ids.contains(file.as_str()))
}

/// Returns the parts of an address's path, decoded.
fn path_of(url: &str) -> Vec<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.split('/').filter(|part| !part.is_empty()).map(percent_decoded).collect()
}

/// Decodes `%20` and its like; what does not become UTF-8 is kept.
pub(crate) fn percent_decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_find_their_files_under_any_base_path() {
        let ids = HashSet::from(["index.html", "guide/index.html", "about.html", "sch\u{f6}n.html"]);
        let page = |url: &str| Page { url: url.into(), modified: None };
        let site = |base: &str| {
            ["", "guide/", "about", "sch%C3%B6n.html", "missing/"]
                .map(|path| page(&format!("https://x.example{base}/{path}")))
        };
        for base in ["", "/docs", "/docs/v2"] {
            let found = matched(site(base).to_vec(), &ids);
            assert_eq!(found.len(), 4, "{base}");
            assert_eq!(found["guide/index.html"].url, format!("https://x.example{base}/guide/"));
        }
    }

    #[test]
    fn a_sitemap_has_addresses_and_days_and_an_index_has_sitemaps() {
        let xml = "<urlset><url><loc> https://x.example/a?b&amp;c </loc><lastmod>2026-01-02</lastmod></url><url><loc>https://x.example/</loc></url></urlset>";
        let (pages, _) = read(xml).unwrap();
        assert_eq!(
            pages[0],
            Page { url: "https://x.example/a?b&c".into(), modified: Some("2026-01-02".into()) }
        );
        assert_eq!(pages[1].modified, None);
        let (_, others) = read(
            "<sitemapindex><sitemap><loc>https://x.example/sitemap-0.xml</loc></sitemap></sitemapindex>",
        )
        .unwrap();
        assert_eq!(others, ["https://x.example/sitemap-0.xml"]);
        assert!(read("<urlset><url></urlset>").is_none());
    }

    #[test]
    fn percent_signs_that_encode_nothing_are_kept() {
        assert_eq!(percent_decoded("100%25%zz%"), "100%%zz%");
        assert_eq!(percent_decoded("%FF"), "%FF");
    }
}
