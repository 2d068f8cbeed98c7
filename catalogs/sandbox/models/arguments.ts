// The arguments of a call, from a sentence: values that are named, quoted, or follow a word such as "to" or "called".
import type { Offer } from "./choice";

export interface Arguments {
  readonly values: Readonly<Record<string, unknown>>;
  /** Required parameters without a value. */
  readonly missing: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

/** People of the stand-ins: "to bob" means a person, "to general" a channel. */
const PEOPLE = new Set(["alice", "bob", "carol", "carla", "admin", "dave", "erin"]);

interface Sentence {
  readonly text: string;
  readonly quoted: string[];
}

/** What a kind of parameter looks like in a sentence. */
interface Kind {
  readonly names: RegExp;
  read(sentence: Sentence): string | undefined;
}

const KINDS: readonly Kind[] = [
  {
    names: /channel|room/,
    read: ({ text }) => {
      const found =
        /#([\w-]+)/.exec(text)?.[1] ??
        /\b(?:to|in|into|from|of)\s+(?:the\s+)?(?:channel\s+)?([\w-]+)/i.exec(text)?.[1];
      return found === undefined || PEOPLE.has(found.toLowerCase()) ? undefined : found;
    },
  },
  { names: /email/, read: ({ text }) => /[\w.+-]{1,64}@[\w.-]{1,255}\w/.exec(text)?.[0] },
  {
    names: /user_?names?$|user_name|recipient/,
    read: ({ text }) =>
      text
        .split(/[^\w@]+/)
        .find((word) => PEOPLE.has(word.toLowerCase().replace("@", "")))
        ?.replace("@", ""),
  },
  {
    names: /message|text|content|body|comment/,
    read: ({ text, quoted }) =>
      quoted.shift() ??
      /\b(?:send|post|say|write|tell)\s+(?:the\s+)?(?:message\s+|note\s+)?(.+?)\s+(?:to|in|into|on)\s+/i.exec(
        text,
      )?.[1] ??
      /\b(?:note|saying|that|about)\s+(?:that\s+|about\s+)?(.+)$/i.exec(text)?.[1] ??
      /:\s*(.+)$/.exec(text)?.[1],
  },
  {
    names: /title|^name$|_name$|item/,
    read: ({ text, quoted }) =>
      quoted.shift() ??
      /\b(?:called|named|titled|title|name)\s+(?:is\s+)?(\S.*?)(?=\s+(?:with|and|in)\s|[.!?]?$)/i.exec(
        text,
      )?.[1],
  },
  {
    names: /query|search|keyword|contains|filter/,
    read: ({ text, quoted }) => quoted.shift() ?? /\b(?:for|about|with)\s+(.+?)[.!?]?$/i.exec(text)?.[1],
  },
];

/** Reads the arguments of a tool. */
export function argumentsFor(prompt: string, { parameters }: Offer): Arguments {
  const properties = isRecord(parameters["properties"]) ? parameters["properties"] : {};
  const required = Array.isArray(parameters["required"]) ? parameters["required"].map(String) : [];
  const sentence = { text: prompt.trim(), quoted: quotedIn(prompt) };
  const values: Record<string, unknown> = {};
  const used = new Set<Kind>();
  // Required ones first: a quoted text is for them.
  const names = Object.keys(properties).toSorted(
    (left, right) => Number(required.includes(right)) - Number(required.includes(left)),
  );
  for (const name of names) {
    const schema = isRecord(properties[name]) ? properties[name] : {};
    const value = valueOf(name, schema, sentence, { isRequired: required.includes(name), used });
    if (value !== undefined) values[name] = value;
  }
  return { values, missing: required.filter((name) => !(name in values)) };
}

function valueOf(
  name: string,
  schema: Schema,
  sentence: Sentence,
  { isRequired, used }: { isRequired: boolean; used: Set<Kind> },
): unknown {
  const named = namedValue(name, sentence.text);
  if (named !== undefined) return converted(named, schema);
  const type = typeOf(schema);
  const choices = Array.isArray(schema["enum"]) ? schema["enum"].map(String) : [];
  const chosen = choices.find((choice) => hasWord(sentence.text, choice));
  if (chosen !== undefined) return chosen;
  if (choices.length > 0) return isRequired ? choices[0] : undefined;
  if (type === "integer" || type === "number") return numberFor(sentence.text, isRequired);
  if (type === "boolean") return isRequired ? true : undefined;
  const isText = type === "string" || (type === "array" && isText_(schema["items"]));
  const kind = KINDS.find(({ names }) => names.test(name.toLowerCase()));
  if (!isText || (kind !== undefined && used.has(kind))) return undefined;
  const text = kind === undefined ? undefined : kind.read(sentence);
  const found = text ?? (isRequired && kind === undefined ? sentence.quoted.shift() : undefined);
  if (found === undefined || found === "") return undefined;
  if (kind !== undefined) used.add(kind);
  return type === "array" ? [found] : found;
}

/** `channel_name=general`, `channel_name: "general"` */
function namedValue(name: string, text: string): string | undefined {
  const start = text.toLowerCase().search(new RegExp(`(?<![\\w])${escaped(name.toLowerCase())}\\s{0,3}[=:]`));
  if (start < 0) return undefined;
  const rest = text.slice(start + name.length).replace(/^\s*[=:]\s*/, "");
  return /^"([^"]*)"|^'([^']*)'|^(\S+)/
    .exec(rest)
    ?.slice(1)
    .find((part) => part !== undefined)
    ?.replace(/[,;]$/, "");
}

function converted(text: string, schema: Schema): unknown {
  const type = typeOf(schema);
  if (type === "integer" || type === "number") return Number(text);
  if (type === "boolean") return text === "true";
  return type === "array" ? text.split(",") : text;
}

function numberFor(text: string, isRequired: boolean): number | undefined {
  const found = isRequired ? /(?<![\w.])\d{1,15}(?:\.\d{1,6})?(?![\w])/.exec(text)?.[0] : undefined;
  return found === undefined ? undefined : Number(found);
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)/g)].map(
    ([, double, curly, single]) => double ?? curly ?? single ?? "",
  );
}

/** The type, without null. */
function typeOf({ type }: Schema): string {
  const types = Array.isArray(type) ? type : [type];
  return String(types.find((one) => one !== "null") ?? "string");
}

function isText_(items: unknown): boolean {
  return !isRecord(items) || typeOf(items) === "string";
}

function hasWord(text: string, word: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\w-]+/)
    .includes(word.toLowerCase());
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w]/g, "\\$&");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
