// What `cargo xtask test lint` looks for in the project's JavaScript: faults, not looks.

import js from "@eslint/js";
import globals from "globals";
import tseslint from "typescript-eslint";
import { programOf, scriptsIn } from "./support/programs.mjs";

const SCRIPTS = ["**/*.js", "**/*.mjs"];

/** Global variables of pages whose names are words of every day: a use is more likely a variable that was forgotten. */
const AMBIGUOUS = ["close", "closed", "event", "external", "find", "focus", "frames", "length", "menubar", "name", "open", "origin", "print", "scroll", "status", "stop"];

/** What programs lean on, and no variable of theirs may hide. */
const BUILT_IN = "Array|BigInt|Blob|Boolean|Date|Error|File|JSON|Map|Math|Number|Object|Promise|Proxy|Reflect|RegExp|Set|String|Symbol|TypeError|URL|WeakMap|Worker|console|crypto|fetch|globalThis|navigator|performance|queueMicrotask|setTimeout|structuredClone";

/** Names that tests and benchmarks put on a page's window, to find them again there in a later call. */
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
      "no-control-regex": "off", // texts hold such letters, and are cleared of them
      "no-duplicate-imports": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-restricted-globals": ["error", ...AMBIGUOUS],
      "no-restricted-syntax": [
        "error",
        { selector: `:matches(VariableDeclarator > Identifier.id, :function > Identifier.params, VariableDeclarator > ObjectPattern > Property > Identifier.value)[name=/^(${BUILT_IN})$/]`, message: "This hides the global of the same name." },
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
    // Tests hand functions to a page as text, and throw what no program should.
    rules: { "no-eval": "off", "no-throw-literal": "off", "require-yield": "off" },
  },
];
