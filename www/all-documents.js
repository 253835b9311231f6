// Every document there is, however many: they are listed some at a time.

const AT_ONCE = 5000;

/** @param where `collections` and `filters`, as `kb.documents` takes them */
export async function allDocuments(kb, where = {}) {
  const found = [];
  for (;;) {
    const { total, documents } = await kb.documents({ ...where, offset: found.length, limit: AT_ONCE });
    found.push(...documents);
    if (found.length >= total || documents.length === 0) return found;
  }
}
