// Conditions on metadata in the form that Chroma reads. What Chroma cannot express is widened, never narrowed: `exact` is false
// then, and the engine, which checks every hit, leaves out what does not match.

/** Metadata of passages that `vademecum push` writes beside the document's own. */
export const OWN = "vademecum:";
/** Maximum number of values of a list that are written out. */
const LISTED = 50;

const ALL = { where: null, exact: true };
const WIDER = { where: null, exact: false };
const NOTHING = { where: { $or: [] }, exact: true };

/** @param {any} filters in the form that the contract of remote collections describes, or null */
export function where(filters, known) {
  return filters ? translated(filters, false, known) : ALL;
}

function translated(part, isNegated, known) {
  if (part.not) return translated(part.not, !isNegated, known);
  if (part.and || part.or) {
    const parts = (part.and ?? part.or).map((one) => translated(one, isNegated, known));
    return Boolean(part.and) === isNegated ? any(parts) : all(parts);
  }
  const { field, operator, value } = part;
  const { indirect, isOwn = true, dates = new Set() } = known;
  // Objects, and lists of several types, are kept as JSON. A number may be the day of a field that has days as texts.
  const [outer] = field.split(".");
  if (outer !== field || indirect.has(field) || dates.has(field) || field.startsWith(OWN)) return WIDER;
  // In collections that something else has filled, any field may hold lists, whose elements cannot be compared by order.
  if (!isOwn && ORDERS.includes(operator)) return WIDER;
  return (isNegated ? NEGATED : PLAIN)[operator]?.(field, value) ?? WIDER;
}

const all = (parts) => joined("$and", parts, ALL);

function any(parts) {
  if (parts.length === 0) return NOTHING;
  const open = parts.filter(({ where }) => where === null);
  return open.length > 0 ? { where: null, exact: open.some(({ exact }) => exact) } : joined("$or", parts, NOTHING);
}

function joined(connective, parts, none) {
  const written = parts.filter(({ where }) => where !== null).map(({ where }) => where);
  const exact = parts.every((one) => one.exact);
  if (written.length === 0) return { where: none.where, exact: exact && none.exact };
  return { where: written.length === 1 ? written[0] : { [connective]: written }, exact };
}

const ORDERS = [">", ">=", "<", "<=", "between"];

/** Not texts that may be dates, which are as long as they are exact, or numbers; nor fractions, which the server cuts when it compares them with whole numbers. */
const isPlain = (value) => typeof value === "boolean" || Number.isSafeInteger(value) || (typeof value === "string" && !/^\s*[-+]?\.?\d/.test(value));

/** A field may hold one value or a list of them. */
const equal = (field, value) => (isPlain(value) ? { where: { $or: [{ [field]: { $eq: value } }, { [field]: { $contains: value } }] }, exact: true } : WIDER);
const unequal = (field, value) => (isPlain(value) ? { where: { $and: [{ [field]: { $ne: value } }, { [field]: { $not_contains: value } }] }, exact: true } : WIDER);
const each = (one, join) => (field, values) => (values.length > LISTED ? WIDER : join(values.map((value) => one(field, value))));
/** An element of a list cannot be compared by order, so lists are checked here. */
const ordered = (operator) => (field, value) =>
  Number.isSafeInteger(value) ? { where: { [field]: { [operator]: value } }, exact: true } : WIDER;

const PLAIN = {
  "=": equal,
  "!=": unequal,
  in: each(equal, any),
  not_in: each(unequal, all),
  ">": ordered("$gt"),
  ">=": ordered("$gte"),
  "<": ordered("$lt"),
  "<=": ordered("$lte"),
  between: (field, [low, high]) => all([PLAIN[">="](field, low), PLAIN["<="](field, high)]),
};

/** The opposite of a comparison by order also holds where the field is absent, which Chroma does not find. */
const NEGATED = { "=": unequal, "!=": equal, in: each(unequal, all), not_in: each(equal, any) };

/** Restricts a search to documents. */
export function documentIdsOf(documents, { isOwn }) {
  if (!documents) return { body: () => ({}) };
  if (!isOwn) return { body: () => ({ ids: documents }) };
  const only = { [`${OWN}docId`]: { $in: documents } };
  return { body: (condition) => ({ where: condition ? { $and: [condition, only] } : only }) };
}
