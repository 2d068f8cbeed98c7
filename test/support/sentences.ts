// Prints 60 sentences of help texts, error messages, log messages, documentation and comments, chosen by a seed, to be
// read by a person: `bun run sentences --seed 1`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

type Kind = "help" | "error" | "log" | "docs" | "comment";

interface Sentence {
  kind: Kind;
  path: string;
  line: number;
  text: string;
}

/** A comment or a string literal. `before` is the code before it, back to the previous piece. */
interface Piece {
  kind: "comment" | "string";
  text: string;
  start: number;
  before: string;
}

const ROOT = join(import.meta.dir, "../..");
const CODE = [
  "src/**/*.ts",
  "server/**/*.ts",
  "cli/**/*.ts",
  "catalogs/**/*.ts",
  "build/**/*.ts",
  "build.ts",
];
const PAGES = ["docs/*.md", "*.md", "examples/**/*.md"];
const KINDS: readonly Kind[] = ["help", "error", "log", "docs", "comment"];
const COUNT = 60;
/** Files whose strings are help texts. */
const HELP_FILES = new Set(["cli/nouns.ts", "cli/help-topics.ts"]);
/** SQL, and examples of commands. */
const NO_SENTENCE =
  /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|ON CONFLICT|WHERE|AND|OR|ORDER BY|FROM|runtime [a-z]+ [a-z-])/;

// A comment, a string or a regular expression; the last only to skip quotes inside it.
const TOKEN =
  /\/\/[^\n]*|\/\*.*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|\$\{[^}]*\}|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*|return\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//gs;

/** All sentences of the product and its documentation. */
export function allSentences(): Sentence[] {
  const code = filesOf(CODE).flatMap((path) => codeSentences(path, read(path)));
  const pages = filesOf(PAGES).flatMap((path) => pageSentences(path, read(path)));
  return [...code, ...pages];
}

/** `count` sentences, the same number of each kind. The same seed selects the same sentences. */
export function chosen(sentences: readonly Sentence[], seed: number, count = COUNT): Sentence[] {
  const random = generator(seed);
  return KINDS.flatMap((kind) => {
    const pool = sentences.filter((sentence) => sentence.kind === kind);
    const size = Math.min(pool.length, count / KINDS.length);
    return Array.from({ length: size }, () => pool.splice(Math.floor(random() * pool.length), 1)).flat();
  });
}

/** Sentences in comments and strings of TypeScript. */
export function codeSentences(path: string, text: string): Sentence[] {
  return joined(piecesOf(text)).flatMap((piece) => {
    const kind = piece.kind === "comment" ? "comment" : kindOfString(path, piece.before);
    const line = text.slice(0, piece.start).split("\n").length;
    return sentencesOf(piece.text).map((sentence) => ({ kind, path, line, text: sentence }));
  });
}

/** Sentences and table cells of a page, without code blocks. */
export function pageSentences(path: string, text: string): Sentence[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/[^\n]/g, ""));
  return prose.split("\n").flatMap((content, index) =>
    content
      .split(content.startsWith("|") ? "|" : /$/)
      .flatMap((part) => sentencesOf(part.replace(/^\s*(?:[-#>*]+|\d+\.)\s+/, "")))
      .map((sentence) => ({ kind: "docs" as const, path, line: index + 1, text: sentence })),
  );
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const before = text.slice(end, index);
    end = index + token.length;
    if (/^\/[/*]/.test(token))
      pieces.push({ kind: "comment", text: commentText(token), start: index, before });
    else if (!token.startsWith("/"))
      pieces.push({ kind: "string", text: stringText(token), start: index, before });
  }
  return pieces;
}

/** Lines of one comment, and the parts of a concatenated string, as one piece. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const continues = piece.kind === "comment" ? /^\n\s*$/ : /^\s*\+\s*$/;
    if (last?.kind === piece.kind && continues.test(piece.before)) last.text += ` ${piece.text}`;
    else result.push({ ...piece });
  }
  return result;
}

function commentText(token: string): string {
  return token.replaceAll(/^\/\*+|\*\/$|^\/\/+/g, "").replaceAll(/\n\s*\*/g, " ");
}

function stringText(token: string): string {
  return token
    .slice(1, -1)
    .replaceAll(/\$\{[^}]*\}/g, "…")
    .replaceAll("\\n", " ")
    .replaceAll(/\\(.)/g, "$1");
}

function kindOfString(path: string, before: string): Kind {
  if (HELP_FILES.has(path)) return "help";
  if (/\blog\.(?:debug|info|warn|error)\(\s*$/.test(before)) return "log";
  return /\b(?:summary|meaning|description)\b[^;]*$/.test(before) ? "help" : "error";
}

/** Sentences of at least four words, without SQL, examples of commands and code. */
function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.!?])\s+(?=[A-Z`"…])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsIn(sentence) >= 4 && !NO_SENTENCE.test(sentence) && !/[{};]$/.test(sentence));
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
}

/** Numbers between 0 and 1 from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function filesOf(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].toSorted());
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { seed: { type: "string", default: "1" } } });
  for (const { kind, path, line, text } of chosen(allSentences(), Number(values.seed)))
    process.stdout.write(`${kind.padEnd(7)} ${text}\n        ${path}:${line}\n`);
}
