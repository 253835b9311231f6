//! Lets passages that mention the title of another one lend it their words: two links of a chain of evidence are read as one.

use super::quotation::verbatim;
use super::source::{Source, Window};
use std::collections::BTreeSet;
use vademecum_text::title::bare_title;
use vademecum_util::within::Within;

/// Links passages by title: adds to each passage the terms of the sentences that mention its title, with the terms of their own
/// title, headings and metadata. A sentence "It was directed by David Cronenberg." about a film links it to the article "David
/// Cronenberg". Skips passages with the same bare title, because pieces of one article would all be linked.
pub(super) fn link(sources: &mut [Source<'_>]) {
    let all: Vec<BTreeSet<String>> = sources.iter().map(|to| leading(to, sources)).collect();
    for (source, leading) in sources.iter_mut().zip(all) {
        source.leading = leading;
    }
}

fn leading(to: &Source<'_>, sources: &[Source<'_>]) -> BTreeSet<String> {
    let Some(title) = title_of(to) else { return BTreeSet::new() };
    let others = sources.iter().filter(|from| title_of(from) != Some(title));
    let led = others.flat_map(|from| {
        let sentences = from.windows.iter().filter(|window| window.sentences == 1);
        let mentions = move |window: &&Window| {
            verbatim(from.hit.chunk.text.within(window.bytes.clone()), title).is_some()
        };
        sentences.filter(mentions).flat_map(|window| window.held.iter().chain(&from.above))
    });
    led.cloned().collect()
}

fn title_of<'a>(source: &Source<'a>) -> Option<&'a str> {
    source.hit.chunk.title.as_deref().and_then(bare_title)
}
