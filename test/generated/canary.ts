// Plants a word in one text of a body, to see where it turns up.
import { isObject } from "../../src/base";
import type { ApiCall } from "../support/api";

/** Fields whose value is nobody's business. */
const SECRET =
  /^(value|client_secret|private_key|token|client_key|signing_secret|api_key|secret|password|\w+_private_link)$/;

/** Fields that name what exists: an error may say what does not. */
const NAMES = /^(tool_names?|tools|tool_version|id|name|key|provider_id|plugin_id|plugin|model)$/;

export interface Place {
  /** Whether the value, or what it stands in, is a secret. */
  secret: boolean;
  /** Whether an error may say it again. */
  name: boolean;
}

interface Leaf extends Place {
  /** The body with this text instead. */
  put(text: string): unknown;
  text: string;
}

/**
 * `place`: where the word went; undefined when the body has no text for it. `only`: what else than a secret would make
 * the request another one.
 */
export function plant(
  request: ApiCall,
  canary: string,
  which: number,
  only: "secrets" | "any",
): { request: ApiCall; place?: Place } {
  if (request.raw !== undefined || request.body === undefined) return { request };
  const leaves = leavesOf(request.body, "", false);
  const secrets = leaves.filter(({ secret }) => secret);
  const choice = only === "secrets" || (secrets.length > 0 && which % 2 === 0) ? secrets : leaves;
  const leaf = choice[which % Math.max(1, choice.length)];
  if (leaf === undefined) return { request };
  return { request: { ...request, body: leaf.put(leaf.text + canary) }, place: leaf };
}

function leavesOf(value: unknown, name: string, within: boolean): Leaf[] {
  const secret = within || SECRET.test(name);
  if (typeof value === "string")
    return [{ secret, name: !secret && NAMES.test(name), text: value, put: (text) => text }];
  if (Array.isArray(value)) {
    return value.flatMap((one, at) =>
      leavesOf(one, name, secret).map((leaf) => ({
        ...leaf,
        put: (text: string) => value.with(at, leaf.put(text)),
      })),
    );
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    leavesOf(one, key, secret).map((leaf) => ({
      ...leaf,
      put: (text: string) => ({ ...value, [key]: leaf.put(text) }),
    })),
  );
}
