// What a change did: the fields of a record that differ, before and after, by their paths (`oauth2.client_id`).
import { isObject } from "../base";
import { hashOf } from "../crypto";

interface Changes {
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** A larger value, as JSON, is named by its hash. */
const MOST_CHARACTERS = 1000;
const MAX_DEPTH = 5;
const NOT_SHOWN = "[not shown]";
/** The entry has its own time and actor. */
const IGNORED = new Set([
  "created_at",
  "created_by",
  "updated_at",
  "updated_by",
  "last_used_at",
  "last_accessed_at",
]);
/** Objects whose values may be secrets that somebody has typed in, for example a key in a header. */
const FREE_FORM = new Set(["params", "headers"]);
/** Its pseudonyms are resolved when the entry is read. */
const USERS = "users";

/** The fields that differ, in both records; a record that does not exist is undefined. */
export function changesOf(before: object | undefined, after: object | undefined): Changes {
  const [old, young] = [leavesOf(before, after), leavesOf(after, before)];
  const [was, is] = [differing(old, young), differing(young, old)];
  if (was === undefined && is === undefined) return {};
  return {
    ...(before === undefined ? {} : { before: was ?? {} }),
    ...(after === undefined ? {} : { after: is ?? {} }),
  };
}

type Leaves = ReadonlyMap<string, string>;

/** The leaves that others lack or have with another value; undefined if there are none. */
function differing(leaves: Leaves, others: Leaves): Record<string, unknown> | undefined {
  const found: [name: string, value: unknown][] = [];
  for (const [name, text] of leaves) if (others.get(name) !== text) found.push([name, shown(name, text)]);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The JSON of each field that is not an object, by its path. Values that are the same in `other` are left out. */
function leavesOf(record: object | undefined, other: object | undefined): Leaves {
  const leaves = new Map<string, string>();
  if (record !== undefined) addLeaves(leaves, [record, other], "", 0);
  return leaves;
}

function addLeaves(
  leaves: Map<string, string>,
  [value, other]: readonly [unknown, unknown],
  path: string,
  depth: number,
): void {
  if (value === other) return;
  if (isObject(value) && depth < MAX_DEPTH) {
    const others = isObject(other) ? other : {};
    for (const [name, field] of Object.entries(value))
      if (!IGNORED.has(name))
        addLeaves(leaves, [field, others[name]], depth === 0 ? name : `${path}.${name}`, depth + 1);
    return;
  }
  const text: string | undefined = JSON.stringify(value);
  if (text !== undefined) leaves.set(path, text);
}

function shown(name: string, text: string): unknown {
  if (name.split(".").some((part) => FREE_FORM.has(part))) return NOT_SHOWN;
  if (text.length > MOST_CHARACTERS && name !== USERS) return { sha256: hashOf(text), length: text.length };
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === "string" ? withoutQuery(value) : value,
  );
}

// The query and the user part of an address may contain a secret.
function withoutQuery(text: string): string {
  const [, scheme, rest] = /^(https?:\/\/)(?:[^/?#]*@)?([^?#]*)/i.exec(text) ?? [];
  if (scheme === undefined || rest === undefined || text === scheme + rest) return text;
  return `${scheme}${rest}?${NOT_SHOWN}`;
}
