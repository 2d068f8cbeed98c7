// Prompts, resources and resource templates of an MCP server, as it lists them.
import { isObject, type JsonObject } from "../../base";
import { cleanDescription } from "../foreign";
import type { Note } from "./definition";

/** Characters of one entry. */
const MOST_CHARACTERS = 65_536;
const LONGEST_NAME = 2048;

/** The entries that can be offered. `key`: the member that names an entry. `note` gets why others were left out. */
export function offeredOf(items: readonly unknown[], key: string, note: Note): JsonObject[] {
  const offered: JsonObject[] = [];
  for (const item of items) {
    const name = isObject(item) ? item[key] : undefined;
    if (!isObject(item) || typeof name !== "string" || name === "" || name.length > LONGEST_NAME) {
      note(`an entry without a valid ${key} was left out`);
    } else if (JSON.stringify(item).length > MOST_CHARACTERS) {
      note(`${name.slice(0, 100)} was left out: it has more than ${MOST_CHARACTERS} characters`);
    } else offered.push(cleaned(item as JsonObject));
  }
  return offered;
}

function cleaned(item: JsonObject): JsonObject {
  const { title, description } = item;
  return {
    ...item,
    ...(typeof title === "string" ? { title: cleanDescription(title) } : {}),
    ...(typeof description === "string" ? { description: cleanDescription(description) } : {}),
  };
}
