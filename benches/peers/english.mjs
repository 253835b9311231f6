// What our index does to English words, for peers that can be told to do the same: a ranking is compared fairly only then.

export const STOP_WORDS = new Set((
  "a about after again all also am an and any are as at be because been before being between both but by can could did do does " +
  "doing down during each few for from further had has have having he her here hers him his how i if in into is it its just me " +
  "more most my no nor not now of off on once only or other our ours out over own same she should so some such than that the " +
  "their theirs them then there these they this those through to too under until up very was we were what when where which " +
  "while who whom why will with would you your yours"
).split(" "));

/** A word as it is indexed, its plural stripped by Harman's S-stemmer; null for a stop word. */
export function term(word) {
  const bare = word.toLowerCase().replace(/[’']s$/u, "");
  if (bare === "" || STOP_WORDS.has(bare)) return null;
  if (bare.length <= 3) return bare;
  if (bare.endsWith("ies") && !/[ea]ies$/.test(bare)) return `${bare.slice(0, -3)}y`;
  if (bare.endsWith("es") ? !/[aeo]es$/.test(bare) : bare.endsWith("s") && !/[us]s$/.test(bare)) return bare.slice(0, -1);
  return bare;
}
