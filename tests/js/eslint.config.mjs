// Lint rules of `cargo xtask test lint` for the project's JavaScript: errors only, no formatting.

import js from "@eslint/js";
import globals from "globals";
import tseslint from "typescript-eslint";
import { programOf, scriptsIn } from "./support/programs.mjs";

const SCRIPTS = ["**/*.js", "**/*.mjs"];

/** Globals of pages with common names: a use is more likely a missing declaration. */
const AMBIGUOUS = ["close", "closed", "event", "external", "find", "focus", "frames", "length", "menubar", "name", "open", "origin", "print", "scroll", "status", "stop"];

/** Built-in globals that no variable may shadow. */
const BUILT_IN = "Array|BigInt|Blob|Boolean|Date|Error|File|JSON|Map|Math|Number|Object|Promise|Proxy|Reflect|RegExp|Set|String|Symbol|TypeError|URL|WeakMap|Worker|console|crypto|fetch|globalThis|navigator|performance|queueMicrotask|setTimeout|structuredClone";

/** Variables that tests and benchmarks set on a page's window for later calls. */
const ON_THE_PAGE = ["agent", "axe", "bench", "chat", "crash", "here", "ids", "kb", "letFetch", "llm", "pets", "reading", "run", "seen", "sessionsOfStandIn", "settled", "shown", "spawn", "there", "told", "unreached", "vademecum", "waiting", "worker", "writable"];

export default [
  { ignores: ["**/node_modules/", "target/", "tests/fixtures/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  { ...js.configs.recommended, files: SCRIPTS },
  {
    files: SCRIPTS,
    plugins: { types: tseslint.plugin },
    languageOptions: {
      globals: { ...globals.browser, ...globals.worker, ...globals.node },
      parser: tseslint.parser,
      parserOptions: { programs: [programOf(scriptsIn("benches", "crates/web/js", "examples", "tests/js", "www", "xtask/src"))] },
    },
    rules: {
      "array-callback-return": "error",
      "block-scoped-var": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-constructor-return": "error",
      "no-control-regex": "off", // some code removes control characters from text
      "no-duplicate-imports": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-restricted-globals": ["error", ...AMBIGUOUS],
      "no-restricted-syntax": [
        "error",
        { selector: `:matches(VariableDeclarator > Identifier.id, :function > Identifier.params, VariableDeclarator > ObjectPattern > Property > Identifier.value)[name=/^(${BUILT_IN})$/]`, message: "This shadows the global of the same name." },
      ],
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-throw-literal": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_$", ignoreRestSiblings: true }],
      "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
      "no-useless-return": "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "types/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "it", "describe", "suite"] }] }],
      "types/no-for-in-array": "error",
      "types/no-misused-promises": ["error", { checksVoidReturn: false }],
    },
  },
  {
    files: ["benches/**", "tests/js/**"],
    languageOptions: { globals: Object.fromEntries(ON_THE_PAGE.map((name) => [name, "readonly"])) },
    // Tests pass functions to a page as source text, and throw values other than errors.
    rules: { "no-eval": "off", "no-throw-literal": "off", "require-yield": "off" },
  },
];
