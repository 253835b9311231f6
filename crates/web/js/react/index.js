// Hooks for React. They use nothing but React's own hooks, and no JSX.

export { useAsk } from "./ask.js";
export { useKnowledgeBase } from "./knowledge-base.js";
export { useSearch } from "./search.js";
