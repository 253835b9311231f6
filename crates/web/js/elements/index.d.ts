/** Web components: a field that searches, one that asks, hits, an answer, and a reader. Importing this entry defines `<vademecum-search>`, `<vademecum-ask>`, `<vademecum-hits>`, `<vademecum-answer>` and `<vademecum-reader>`. */

import type { AgentOptions, PipelineOptions } from "../generated/agent-options.js";
import type { StoredDocument, Span } from "../generated/documents-types.js";
import type { Citation } from "../generated/run-types.js";
import type { Hit } from "../generated/search-types.js";
import type { SearchOptions } from "../generated/search-options.js";
import type { Agent } from "../agent.js";
import type { KnowledgeBase } from "../knowledge-base.js";
import type { Llm } from "../llm.js";
import type { Run, RunResult } from "../run.js";

/** What `<vademecum-search>` searches: a knowledge base, an attached library, or an object of yours. */
export interface SearchSource {
  /** Finds passages. The element passes `prefix`, `typos`, `limit`, `signal`, and what its attributes and its property `options` name. */
  search(query: string, options?: any): Promise<{ hits: Hit[]; searchedFor?: string; missing?: unknown[] }>;
}

/** What `<vademecum-reader>` reads from: a knowledge base, an attached library, or an object of yours. */
export interface DocumentSource {
  /** Returns a document. */
  document(collection: string, id: string): Promise<StoredDocument>;
}

/** A place in a document. */
export interface DocumentPlace {
  /** The collection. Default: `default`. */
  collection?: string | undefined;
  /** The document's id. */
  docId: string;
  /** The passage to mark, in UTF-16 code units of the document's text. */
  span?: Span | null | undefined;
  /** The words to mark more strongly. */
  quote?: Span | null | undefined;
}

/** What `<vademecum-answer>` shows: a result of a run, or a turn of a conversation. */
export interface ShownAnswer extends Pick<RunResult, "answer"> {
  /** Who wrote it: an answer of `llm` is Markdown. */
  answeredBy?: RunResult["answeredBy"] | undefined;
  /** Its citations. */
  citations?: readonly Citation[] | undefined;
  /** What was found for each sentence. */
  grounding?: RunResult["grounding"] | undefined;
  /** The passages that it was made of. */
  contextUsed?: readonly Hit[] | undefined;
}

/** A document that a page has read itself, as `ReaderElement.show` takes it: that of a knowledge base, or a part of one. */
export interface ShownDocument {
  /** The document's id, which is its heading if it has no title. */
  id: string;
  /** The title. */
  title?: string | null | undefined;
  /** The text; form feeds part pages. */
  text: string;
  /** `type`, `file` and `path` say how the text is laid out. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Its passages, whose headings are headings of the text. */
  chunks?: readonly { headings?: readonly string[]; page?: number | null; span?: Span }[] | undefined;
  /** Number of the first page of the text. Default: 1 */
  firstPage?: number | undefined;
}

/** A place in a document that is shown. */
export interface ShownPlace extends Pick<DocumentPlace, "span" | "quote"> {
  /** The headings above the place. Default: those of the passage */
  headings?: readonly string[] | undefined;
  /** The page of the place. Default: that of the passage */
  page?: number | null | undefined;
}

/** Options of `<vademecum-ask>`: those of the agent and of its runs. */
export interface AskElementOptions extends Omit<AgentOptions, "llm" | keyof PipelineOptions>, PipelineOptions {
  /** Begins the run. Default: `agent.pipeline(question, options).search().answer().ground().run({ signal })`. */
  run?: ((agent: Agent, question: string, options: PipelineOptions & { signal: AbortSignal }) => Run) | undefined;
}

/** The texts of the elements; those with a count, a name or a number are functions of it. */
export interface ElementLabels {
  /** Name of the search field. */
  search: string;
  /** Placeholder of the search field. */
  placeholder: string;
  /** Name of the list of hits. */
  results: string;
  /** Said while a search takes long. */
  searching: string;
  /** Says how many hits are listed. */
  found: (count: number) => string;
  /** Said where nothing was found. */
  nothing: string;
  /** Returns the note about a corrected query. */
  searchedFor: (query: string) => string;
  /** Said where parts of a library could not be read. */
  incomplete: string;
  /** Name of the field for questions. */
  question: string;
  /** Placeholder of the field for questions. */
  askPlaceholder: string;
  /** The button that asks. */
  ask: string;
  /** The button that stops. */
  stop: string;
  /** Said after it was stopped. */
  stopped: string;
  /** Said while documents are searched. */
  reading: string;
  /** Said while the answer is written. */
  writing: string;
  /** Said when the answer is there. */
  answered: string;
  /** Heading of a written answer. */
  answer: string;
  /** Heading of quotations. */
  quotes: string;
  /** Heading of the sources. */
  sources: string;
  /** Heading where there is no answer. */
  abstained: string;
  /** Heading of the nearest passages. */
  nearest: string;
  /** The button that asks with corrected words. */
  didYouMean: (query: string) => string;
  /** Said where the language model failed. */
  quotedInstead: (why: string) => string;
  /** Name of a citation. */
  source: (number: number, title: string) => string;
  /** What a citation is in the text of an answer, and the number of a source. Default: `[1]` */
  citation: (number: number) => string;
  /** Name of a source that the language model did not name. */
  foundSource: (source: string) => string;
  /** Said of a sentence of an answer that nothing supports. */
  unsupportedSentence: string;
  /** Said of a row of a table in an answer that nothing supports. */
  unsupportedRow: string;
  /** A page, in the path of a source. */
  page: (number: number) => string;
  /** Beginning of a page in the reader. */
  pageBreak: (number: number) => string;
  /** Beginning of a slide in the reader. */
  slideBreak: (number: number) => string;
  /** Said of a page without text. */
  emptyPage: string;
  /** Name of a table. */
  table: string;
  /** Said while a document is loaded. */
  loading: string;
  /** The button that closes the reader. */
  close: string;
  /** Said where no source is set. */
  noSource: string;
}

/** `<vademecum-search>`: hits while one types. Fires `vademecum-select` with the hit that was chosen, and `vademecum-error`. */
export class SearchElement extends HTMLElement {
  /** What is searched; takes precedence over `src`. */
  source: SearchSource | null;
  /** The attribute `src`: address of the manifest of a library in parts, which is attached at the first focus. */
  src: string;
  /** Options of the search beside those of attributes, such as `filters`. */
  options: SearchOptions;
  /** Texts of yours in place of those that are built in. */
  labels: Partial<ElementLabels> | null;
  /** The text of the field. Setting it searches. */
  value: string;
  /** The hits that are listed. */
  readonly hits: Hit[];
  /** Empties the field and the list. */
  clear(): void;
}

/** `<vademecum-ask>`: a question and its answer. Fires `vademecum-answer`, `vademecum-open` for a source that was clicked, and `vademecum-error`. */
export class AskElement extends HTMLElement {
  /** The knowledge base that is asked. */
  source: KnowledgeBase | null;
  /** The language model. Without one, answers are quotations. */
  llm: Llm | null;
  /** Options of the agent and of its runs. */
  options: AskElementOptions;
  /** Texts of yours in place of those that are built in. */
  labels: Partial<ElementLabels> | null;
  /** The result that is shown. */
  readonly result: RunResult | null;
  /** Asks, or replies to a question of the run. Resolves to null where it failed, which the element says, or was overtaken. */
  ask(question: string): Promise<RunResult | null>;
  /** Stops the run. */
  stop(): void;
}

/**
 * `<vademecum-answer>`: the answer of a run: quotations as cards, or a text with citations and its sources. `<vademecum-ask>` contains one; on its own, it shows what a page has
 * asked itself. Fires `vademecum-open` for a source that was clicked. Children are between the answer and its sources.
 */
export class AnswerElement extends HTMLElement {
  /** Where the documents of quotations are read. Without it, quotations are shown within their passages. */
  source: DocumentSource | null;
  /** Texts of yours in place of those that are built in. */
  labels: Partial<ElementLabels> | null;
  /** The answer that is shown, or null. One that is set is shown as soon as the documents of its quotations are read. */
  result: ShownAnswer | null;
  /** The text of an answer that is being written; null when there is none. */
  written: string | null;
  /** Ends writing, as after a run that was stopped, and keeps the text so far. */
  stop(): void;
}

/** `<vademecum-hits>`: passages of a search that a page has made itself, those of one document together, formatted, with words marked. Fires `vademecum-open` for a hit that was clicked. */
export class HitsElement extends HTMLElement {
  /** Texts of yours in place of those that are built in. */
  labels: Partial<ElementLabels> | null;
  /** The query whose words are marked. Set it before the hits. */
  query: string;
  /**
   * What you say of a hit: notes beside the title of its document, a tooltip, and the position in the document of a sentence to emphasise, such as a
   * result's `nearest.span`. Set it before the hits.
   */
  describe: ((hit: Hit) => { notes?: string[]; title?: string; near?: Span }) | null;
  /** The passages, best first. */
  hits: readonly Hit[];
}

/**
 * `<vademecum-reader>`: a document with a place marked. It is hidden until a document is opened, and fires `vademecum-close` and `vademecum-error`. Children with
 * `slot="about"` are below the title, other ones between the head and the text.
 */
export class ReaderElement extends HTMLElement {
  /** Where documents are from; takes precedence over `src`. */
  source: DocumentSource | null;
  /** Texts of yours in place of those that are built in. */
  labels: Partial<ElementLabels> | null;
  /** Shows a document at a place, and resolves to whether it is shown. */
  open(place: DocumentPlace): Promise<boolean>;
  /** Shows a document that was read already, such as a passage as it was found. The focus stays where it is. */
  show(document: ShownDocument, place?: ShownPlace): void;
  /** Scrolls to the marked words, or else to the beginning. */
  reveal(): void;
  /** Scrolls to a heading, and moves the focus to the text. Returns whether the text has this heading. */
  goTo(heading: string): boolean;
  /** Hides the document. */
  close(): void;
}

/** The events of the elements, which leave shadow trees. */
export interface VademecumElementEvents {
  /** A hit was chosen in the search. Cancelling it keeps the reader of the attribute `reader` closed. */
  "vademecum-select": CustomEvent<{ hit: Hit; query: string }>;
  /** A source of an answer, or a hit, was clicked. Cancelling it keeps the reader of the attribute `reader` closed. */
  "vademecum-open": CustomEvent<DocumentPlace & { citation?: Citation; hit?: Hit }>;
  /** A run has ended. */
  "vademecum-answer": CustomEvent<{ result: RunResult }>;
  /** The reader was closed. */
  "vademecum-close": CustomEvent<Record<string, never>>;
  /** Something failed; the element shows the message. */
  "vademecum-error": CustomEvent<{ error: { code?: string; message: string } }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "vademecum-search": SearchElement;
    "vademecum-ask": AskElement;
    "vademecum-hits": HitsElement;
    "vademecum-answer": AnswerElement;
    "vademecum-reader": ReaderElement;
  }
  interface HTMLElementEventMap extends VademecumElementEvents {}
}
