//! Addresses of a site's pages, by the `sitemap.xml` in its output folder.

use crate::xml::{Node, walk};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path};

/// The file in the root of a site.
pub const FILE: &str = "sitemap.xml";
/// Maximum size of a sitemap by its standard, in bytes.
pub const MAX_BYTES: u64 = 50 << 20;
/// Maximum number of sitemaps that an index names.
const MAX_FILES: usize = 1_000;
/// Folders of the address that the output folder may be deployed under.
const MAX_BASE: usize = 3;

/// A page's address, and when it was last changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The address.
    pub url: String,
    /// The day, or the time, of the last change.
    pub modified: Option<String>,
}

/// Pages by the ids of their files, and remarks by the names of sitemaps.
pub type Pages = (HashMap<String, Page>, Vec<(String, String)>);

/// Returns the pages of a site, and which of its sitemaps cannot be read.
pub(crate) fn pages(root: &Path, ids: &HashSet<&str>) -> Pages {
    pages_of(ids, |name| {
        let path = root.join(name);
        let is_small =
            path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES);
        is_small.then(|| std::fs::read_to_string(&path).ok()).flatten()
    })
}

/// Returns the pages of a site whose sitemaps are read by a function from the name of a file, and which of them cannot be read.
pub fn pages_of(ids: &HashSet<&str>, mut text_of: impl FnMut(&str) -> Option<String>) -> Pages {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    let mut waiting = vec![FILE.to_owned()];
    let mut seen = HashSet::new();
    while let Some(name) = waiting.pop() {
        if !seen.insert(name.clone()) || seen.len() > MAX_FILES {
            continue;
        }
        let Some((pages, others)) = text_of(&name).and_then(|xml| read(&xml)) else {
            let note = "This sitemap is damaged, missing or too large, so its pages have no addresses. Build the site again.";
            notes.push((name, note.to_owned()));
            continue;
        };
        all.extend(pages);
        // Sitemaps of an index are beside it; only names are taken, so that nothing outside of the folder is read.
        waiting.extend(others.iter().filter_map(|url| path_of(url)?.pop()));
    }
    (matched(all, ids), notes)
}

/// Returns the pages of a sitemap, and the sitemaps of an index.
fn read(xml: &str) -> Option<(Vec<Page>, Vec<String>)> {
    let (mut pages, mut others) = (Vec::new(), Vec::new());
    let (mut text, mut url, mut modified) = (String::new(), None, None);
    let mut open: Vec<String> = Vec::new();
    walk(xml, |node| match node {
        Node::Start(name, _) => {
            text.clear();
            if name == "url" || name == "sitemap" {
                (url, modified) = (None, None);
            }
            open.push(name);
        }
        Node::Text(part) => text.push_str(&part),
        Node::End(name) => {
            open.pop();
            // An image of a page has a `loc` as well, within its own element.
            let is_own = open.last().is_some_and(|outer| outer == "url" || outer == "sitemap");
            let said = || Some(text.trim().to_owned());
            match name.as_str() {
                "loc" if is_own && url.is_none() => url = said(),
                "lastmod" if is_own && modified.is_none() => modified = said(),
                "url" => pages.extend(url.take().map(|url| Page { url, modified: modified.take() })),
                "sitemap" => others.extend(url.take()),
                _ => {}
            }
        }
    })
    .ok()?;
    open.is_empty().then_some((pages, others))
}

/// Finds the file of each page. The folder may be deployed under a path, which is the number of leading parts of addresses that
/// gives the most files.
fn matched(pages: Vec<Page>, ids: &HashSet<&str>) -> HashMap<String, Page> {
    let (pages, paths): (Vec<Page>, Vec<Vec<String>>) =
        pages.into_iter().filter_map(|page| path_of(&page.url).map(|path| (page, path))).unzip();
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

/// Returns the parts of an address's path, decoded; none if one of them is no name, but leads elsewhere.
fn path_of(url: &str) -> Option<Vec<String>> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let parts = path.split('/').filter(|part| !part.is_empty()).map(percent_decoded);
    parts.map(|part| is_name(&part).then_some(part)).collect()
}

/// Returns whether a decoded part of a path is the name of one file or folder.
fn is_name(part: &str) -> bool {
    let mut components = Path::new(part).components();
    let is_one = matches!((components.next(), components.next()), (Some(Component::Normal(_)), None));
    is_one && !part.contains(['/', '\\', '\0'])
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
        assert!(read("<urlset><url><loc>https://x.example/a</loc></url>").is_none(), "it is cut");
    }

    #[test]
    fn the_address_of_an_image_is_not_that_of_its_page() {
        let image = "<image:image><image:loc>https://x.example/a.png</image:loc></image:image>";
        let own = "<loc>https://x.example/a</loc><lastmod>2026-01-02</lastmod>";
        for inner in [format!("{own}{image}"), format!("{image}{own}"), format!("{own}{own}")] {
            let (pages, _) = read(&format!("<urlset><url>{inner}</url></urlset>")).unwrap();
            assert_eq!(pages[0].url, "https://x.example/a", "{inner}");
            assert_eq!(pages[0].modified.as_deref(), Some("2026-01-02"), "{inner}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_no_names() {
        for url in
            ["https://x.example/..%2F..%2Fa.xml", "https://x.example/%2e%2e/a", "https://x.example/a%5Cb"]
        {
            assert_eq!(path_of(url), None, "{url}");
        }
        assert_eq!(path_of("https://x.example/a..b/c%20d"), Some(vec!["a..b".to_owned(), "c d".to_owned()]));
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        std::fs::create_dir(&site).unwrap();
        let page = |name: &str| format!("<urlset><url><loc>https://x.example/{name}</loc></url></urlset>");
        std::fs::write(folder.path().join("outside.xml"), page("index.html")).unwrap();
        let index = "<sitemapindex><sitemap><loc>https://x.example/..%2Foutside.xml</loc></sitemap><sitemap><loc>https://x.example/gone.xml</loc></sitemap></sitemapindex>";
        std::fs::write(site.join(FILE), index).unwrap();
        let (pages, notes) = pages(&site, &HashSet::from(["index.html"]));
        assert!(pages.is_empty(), "{pages:?}");
        assert_eq!(notes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["gone.xml"]);
    }

    #[test]
    fn percent_signs_that_encode_nothing_are_kept() {
        assert_eq!(percent_decoded("100%25%zz%"), "100%%zz%");
        assert_eq!(percent_decoded("%FF"), "%FF");
    }
}
