// A program that only passes messages on to a server over HTTP is not needed: a worker calls the server itself, with each
// user's own consent.
import { NotImported, type Part } from "./references";
import { type AddressEntry, type ProgramEntry, type ServerEntry, textOf } from "./server-entry";

const BRIDGE = /^mcp-remote(?:@.*)?$/;
const WITH_VALUE = new Set(["--header", "-H", "--transport", "--host", "--resource", "--auth-timeout"]);

/** The server behind `mcp-remote`, or the entry itself. */
export function withoutBridge(entry: ServerEntry): ServerEntry {
  if (entry.kind === "address") return entry;
  const words = [[{ text: entry.command }], ...entry.arguments];
  const at = words.findIndex((word) => BRIDGE.test(textOf(word).replace(/^.*\//, "")));
  const rest = at < 0 ? [] : words.slice(at + 1);
  const url = rest.find((word) => /^https?:\/\//.test(textOf(word)));
  return url === undefined ? entry : addressOf(entry, url, rest);
}

function addressOf(
  { name, enabled, timeout, notes, environment }: ProgramEntry,
  url: Part[],
  rest: readonly Part[][],
): AddressEntry {
  const headers: Record<string, Part[]> = {};
  rest.forEach((word, index) => {
    const flag = textOf(rest[index - 1] ?? []);
    if (flag === "--transport" && textOf(word).startsWith("sse"))
      throw new NotImported(
        "It uses the transport sse of 2024, which workers do not speak. Give the address of its Streamable HTTP transport.",
      );
    if (flag !== "--header" && flag !== "-H") return;
    const [header, value] = headerOf(word, environment);
    headers[header] = value;
  });
  const ignored = rest
    .map((word) => textOf(word))
    .filter((text) => text.startsWith("--") && !WITH_VALUE.has(text));
  return {
    kind: "address",
    name,
    enabled,
    timeout,
    notes: [
      ...notes,
      "the server is called directly, without mcp-remote",
      ...(ignored.length === 0 ? [] : [`${ignored.join(", ")} is not taken over`]),
    ],
    url,
    headers,
  };
}

/** `Name: value`. The program puts its variables into the value itself. */
function headerOf(word: readonly Part[], environment: ProgramEntry["environment"]): [string, Part[]] {
  const [first = { text: "" }, ...more] = word;
  const [, name = "", value = ""] = /^([^:]*):\s*(.*)$/s.exec(first.text) ?? [];
  if (name === "") throw new NotImported("A --header of mcp-remote is not a name and a value.");
  const parts = [{ ...first, text: value }, ...more].flatMap((part) => filledIn(part, environment));
  return [name.trim(), parts];
}

function filledIn(part: Part, environment: ProgramEntry["environment"]): Part[] {
  return part.text.split(/(\$\{\w+\})/).flatMap((text): Part[] => {
    const [, variable = ""] = /^\$\{(\w+)\}$/.exec(text) ?? [];
    return environment[variable] ?? (text === "" ? [] : [{ ...part, text }]);
  });
}
