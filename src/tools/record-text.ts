// A tool's record as JSON. Everything except the requirements is the same for all users and is serialized once: a listing of
// a hundred tools has about 200 kB.
import { toolRecord } from "./document";
import type { Tool } from "./registry";

interface Around {
  before: string;
  after: string;
}

const texts = new WeakMap<Tool, Around>();

/** JSON of `{...toolRecord(tool), requirements}`, in ASCII except for `requirements`, which is JSON text. */
export function recordText(tool: Tool, requirements: string): string {
  const { before, after } = around(tool);
  return `${before}${requirements}${after}`;
}

function around(tool: Tool): Around {
  const known = texts.get(tool);
  if (known !== undefined) return known;
  const { requirements: _, metadata, ...first } = toolRecord(tool);
  const made = {
    before: `${plain(JSON.stringify(first)).slice(0, -1)},"requirements":`,
    after: `,"metadata":${plain(JSON.stringify(metadata))}}`,
  };
  texts.set(tool, made);
  return made;
}

// One character beyond Latin-1 would make the whole listing a two-byte string that is encoded with every request.
function plain(json: string): string {
  return json.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
