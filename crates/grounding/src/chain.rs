//! Follows the mentions of titles among passages: a chain of evidence is read as one.

use super::quotation::verbatim;
use super::source::{Source, Window};
use std::collections::BTreeSet;
use vademecum_text::title::bare_title;
use vademecum_util::within::Within;

/// Adds to every passage the terms that lead to it: those of each sentence that mentions its title, and of what stands above that
/// sentence. "It was directed by David Cronenberg." in an article on a film leads to the article "David Cronenberg". Passages of the
/// same title do not lead to each other.
pub(super) fn link(sources: &mut [Source<'_>]) {
    let all: Vec<BTreeSet<String>> = sources.iter().map(|to| leading(to, sources)).collect();
    for (source, leading) in sources.iter_mut().zip(all) {
        source.leading = leading;
    }
}

fn leading(to: &Source<'_>, sources: &[Source<'_>]) -> BTreeSet<String> {
    let title = &to.hit.chunk.title;
    let Some(mentioned) = title.as_deref().and_then(bare_title) else { return BTreeSet::new() };
    let others = sources.iter().filter(|from| from.hit.chunk.title != *title);
    let led = others.flat_map(|from| {
        let sentences = from.windows.iter().filter(|window| window.sentences == 1);
        let mentions = move |window: &&Window| {
            verbatim(from.hit.chunk.text.within(window.bytes.clone()), mentioned).is_some()
        };
        sentences.filter(mentions).flat_map(|window| window.held.iter().chain(&from.above))
    });
    led.cloned().collect()
}
