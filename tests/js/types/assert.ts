// What is said of types where there are no values to look at.

/** Whether two types are the same, `any` and optional properties included. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Says that something holds: `type _ = Holds<Equal<A, B>>`. */
export type Holds<Claim extends true> = Claim;

/** Says that a value is of the type named, and of no narrower or wider one. */
export function expectType<Expected>() {
  return <Given>(_: Given, ..._same: Equal<Expected, Given> extends true ? [] : [never]) => {};
}

/** Says that nothing is left: a `switch` over all kinds ends here. */
export function nothingLeft(_: never) {}
