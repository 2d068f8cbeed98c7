// A tool's record as JSON. All of it but the requirements is the same for everybody, and is spelled once: a listing of a
// hundred tools is some 200 kB.
import { toolRecord } from "./document";
import type { Tool } from "./registry";

interface Around {
  before: string;
  after: string;
}

const texts = new WeakMap<Tool, Around>();

/** JSON of `{...toolRecord(tool), requirements}`, in ASCII but for the requirements, which come as JSON. */
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

// One letter beyond Latin 1 makes a text of two bytes a letter of the whole listing, and has it encoded each time.
function plain(json: string): string {
  return json.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
