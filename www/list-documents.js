// Lists all documents, in pages.

const AT_ONCE = 5000;

/** @param where `collections` and `filters`, as in `kb.documents` */
export async function allDocuments(kb, where = {}) {
  const found = [];
  for (;;) {
    const { total, documents } = await kb.documents({ ...where, offset: found.length, limit: AT_ONCE });
    found.push(...documents);
    if (found.length >= total || documents.length === 0) return found;
  }
}
