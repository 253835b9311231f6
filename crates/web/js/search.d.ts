// The types of searches; `index.d.ts` exports them all.

/** How a field is compared. `like` takes `%` for anything and `_` for one letter; `between` a list of two. */
export type FilterOperator =
  | "=" | "!=" | ">" | ">=" | "<" | "<=" | "in" | "not_in" | "like" | "contains" | "exists" | "between";
/** What a field is compared with. A date is a text in ISO 8601; null stands for documents without the field. */
export type FilterValue = string | number | boolean | null | (string | number | boolean)[];
/**
 * `{ year: 2023 }`, `{ total: { ">": 1000 } }`, `{ total: { operator: ">", value: 1000 } }`, a list of
 * `{ field, operator, value }`, and `{ and: […] }`, `{ or: […] }`, `{ not: … }` of these; the guide to search has the table.
 */
export type Filter =
  | { [field: string]: FilterValue | Filter | Filter[] | { operator: FilterOperator; value: FilterValue } | { [operator: string]: FilterValue } }
  | (FilterCondition | (Filter & { operator?: undefined }))[];

/** A condition in a list of them. `exists` means `true` without a value. */
export interface FilterCondition {
  /** The metadata field; one inside another is `author.name`. */
  field: string;
  /** How it is compared. */
  operator: FilterOperator;
  /** With what. */
  value?: FilterValue | undefined;
}
