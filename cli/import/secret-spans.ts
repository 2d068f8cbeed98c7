// Secrets in a text, by what they look like: known tokens, passwords in addresses, credentials of HTTP, and long random
// words. A secret that is not found stays readable in the record, so doubt counts as a secret.
import { namesSecret } from "./secret-names";

export interface Span {
  start: number;
  end: number;
  /** What the secret is called in the record, if the text says it. */
  name?: string;
  /** It only looks random. */
  doubtful?: true;
}

/** Tokens whose beginning says what they are. */
const KNOWN = [
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bgl(?:pat|ptt|dt|rt|cbt)-[\w-]{16,}/g,
  /\bsk-[A-Za-z0-9][\w-]{15,}/g,
  /\b[sprw]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{8,}/g,
  /\bxapp-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{20,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /\bnpm_[A-Za-z0-9]{20,}/g,
  /\bpypi-[\w-]{20,}/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\bSG\.[\w-]{10,}\.[\w-]{10,}/g,
  /\b(?:lin_api|shpat|shpss|figd|dop_v1|doo_v1|rnd|tvly|ntn|secret|fc|pplx|gsk|xai|whsec|phc|phx|atlasv1|ATATT3x|pat|rt|key|nvapi|r8|vcp|sbp|re)[_-][A-Za-z0-9_-]{16,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** `user:password@` of an address; the user stays. */
const PASSWORD = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#@:'"]{0,200}:([^\s/?#@'"]{1,1000})@/gi;
/** A parameter of a query, or a pair in a text such as `password=…;` or `NAME=value`. */
const PAIR = /(?:^|[?&#;,\s"'])([A-Za-z][\w.-]*)=("[^"]*"|'[^']*'|[^\s&#;,"']+)/g;
/** `Authorization: Bearer …`, or a scheme alone. */
const SCHEME = /\b(?:bearer|basic|token)\s+([^\s"',;]{6,})/gi;
/** A header in one text. */
const HEADER = /^\s*([A-Za-z][\w-]*)\s*:\s*(\S.*)$/g;

export function spansIn(text: string): Span[] {
  const found: Span[] = [
    ...KNOWN.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => spanOf(match, match[0]))),
    ...[...text.matchAll(PASSWORD)].map((match) => ({ ...spanOf(match, match[1], -1), name: "PASSWORD" })),
    ...[...text.matchAll(SCHEME)].map((match) => spanOf(match, match[1])),
    ...pairsIn(text),
    ...headersIn(text),
    ...randomIn(text),
  ];
  return withoutOverlap(found);
}

/** Where a group of a match is: at its end, or so many characters before it. */
function spanOf(match: RegExpMatchArray, group: string | undefined = "", fromEnd = 0): Span {
  const end = match.index === undefined ? 0 : match.index + match[0].length + fromEnd;
  return { start: end - group.length, end };
}

function pairsIn(text: string): Span[] {
  return [...text.matchAll(PAIR)].flatMap((match): Span[] => {
    const [, name = "", value = ""] = match;
    return namesSecret(name) ? [{ ...unquoted(spanOf(match, value), value), name }] : [];
  });
}

function unquoted({ start, end }: Span, value: string): Span {
  return /^["']/.test(value) ? { start: start + 1, end: end - 1 } : { start, end };
}

function headersIn(text: string): Span[] {
  // The scheme of a credential is found by itself.
  return [...text.matchAll(HEADER)].flatMap((match): Span[] => {
    const [, name = "", value = ""] = match;
    const isAddress = value.startsWith("//");
    if (isAddress || !namesSecret(name) || SCHEME_FIRST.test(value)) return [];
    return [{ ...spanOf(match, value), name }];
  });
}
const SCHEME_FIRST = /^(?:bearer|basic|token)\s/i;

const UUID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;
/** A word of an address, a path or a text. */
const WORD = /[A-Za-z0-9_+=-]{16,}/g;
const LETTERS_AND_DIGITS = 16;
const LETTERS_ONLY = 32;
const LEAST_ENTROPY = 3.2;

/** Long words that a person would not choose. */
function randomIn(text: string): Span[] {
  const words = [...text.matchAll(WORD)].filter(([word]) => isRandom(word));
  return [...words, ...text.matchAll(UUID)].map((match) => ({ ...spanOf(match, match[0]), doubtful: true }));
}

function isRandom(word: string): boolean {
  return word.split(/[^A-Za-z0-9]+/).some((part) => {
    const isMixed = /[A-Za-z]/.test(part) && /\d/.test(part);
    const least = isMixed ? LETTERS_AND_DIGITS : LETTERS_ONLY;
    return part.length >= least && !/^\d+$/.test(part) && entropyOf(part) >= LEAST_ENTROPY;
  });
}

/** Bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => {
    const share = count / text.length;
    return sum - share * Math.log2(share);
  }, 0);
}

/** The first of those that begin at the same place is the longest; what lies in another one is left out. */
function withoutOverlap(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  const sure = (span: Span): number => (span.doubtful === true ? 1 : 0);
  const ordered = spans
    .filter(({ start, end }) => end > start)
    .toSorted((left, right) => sure(left) - sure(right) || left.start - right.start || right.end - left.end);
  for (const span of ordered)
    if (kept.every(({ start, end }) => span.end <= start || span.start >= end)) kept.push(span);
  return kept.toSorted((left, right) => left.start - right.start);
}
