//! The directory within an exported library.

use super::container::Sections;
use super::directory::{Directory, MANIFESTS};
use futures_util::future::LocalBoxFuture;
use std::cell::RefCell;
use vademecum_protocol::error::Result;
use vademecum_util::small_sort::sort_by;

/// The files within an exported library, sorted by name. All but the manifests are read once, so their bytes are
/// moved out.
pub(super) struct Exported(RefCell<Vec<(String, Vec<u8>)>>);

impl Exported {
    pub(super) fn of(library: &Sections<'_>) -> Self {
        let mut files: Vec<(String, Vec<u8>)> =
            library.all().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect();
        sort_by(&mut files, |one, other| one.0.cmp(&other.0));
        Self(RefCell::new(files))
    }
}

impl Directory for Exported {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async { Ok(self.0.borrow().iter().map(|(name, _)| name.clone()).collect()) })
    }

    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>>> {
        let mut files = self.0.borrow_mut();
        let at = files.binary_search_by(|(other, _)| other.as_str().cmp(name));
        let bytes =
            at.ok().and_then(|at| files.get_mut(at)).map(|(_, bytes)| match MANIFESTS.contains(&name) {
                true => bytes.clone(),
                false => std::mem::take(bytes),
            });
        Box::pin(std::future::ready(Ok(bytes)))
    }

    fn write<'a>(&'a self, _: &'a str, _: Vec<u8>) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn remove<'a>(&'a self, _: &'a str) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}
