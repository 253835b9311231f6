// Assertions about types.

/** Whether two types are the same, `any` and optional properties included. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Asserts that a type is `true`: `type _ = Holds<Equal<A, B>>`. */
export type Holds<Claim extends true> = Claim;

/** Asserts that a value has exactly this type. */
export function expectType<Expected>() {
  return <Given>(_: Given, ..._same: Equal<Expected, Given> extends true ? [] : [never]) => {};
}

/** Asserts that a `switch` handles all cases. */
export function nothingLeft(_: never) {}
