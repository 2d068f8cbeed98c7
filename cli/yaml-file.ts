// Adds an entry to the YAML file of another program. Comments, order and other entries stay.
import { isCollection, isMap, parseDocument } from "yaml";
import { isObject, type JsonObject } from "../src/base";
import { configurationError } from "../src/errors";

/**
 * The text with the entries of `config` (two levels: a section and names in it) set. Throws `configuration` for a text that is
 * not YAML, or that has something else in place of a section.
 */
export function mergedYaml(text: string, config: JsonObject): string {
  const document = parseDocument(text, { logLevel: "error" });
  const [fault] = document.errors;
  if (fault !== undefined || (document.contents !== null && !isMap(document.contents)))
    throw configurationError(
      "The file is not a YAML map, so nothing was added to it. Add the printed entry by hand.",
    );
  for (const [section, entries] of Object.entries(config)) {
    const present: unknown = document.get(section);
    // A section without anything is null.
    const isEmpty = present === null || present === undefined;
    if (!isEmpty && !isCollection(present))
      throw configurationError(
        `The file has something else than a map at ${section}. Add the printed entry by hand.`,
      );
    if (isEmpty && document.has(section)) document.delete(section);
    for (const [name, entry] of Object.entries(isObject(entries) ? entries : {}))
      document.setIn([section, name], document.createNode(entry));
  }
  return document.toString({ lineWidth: 0 });
}
