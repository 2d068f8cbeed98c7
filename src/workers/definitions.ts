// Definitions of a worker's tools that are made when they are first looked at. A project may have many thousands of tools,
// of which a request needs a few.
import type { ToolDefinition } from "../tools";

/** All members of a definition but its name. */
const MEMBERS = {
  description: true,
  input: true,
  output: true,
  modes: true,
  authorization: true,
  secrets: true,
  userKeys: true,
  metadata: true,
  replacement: true,
  asReplacement: true,
  deprecatedSince: true,
  waivesRequirements: true,
  clamps: true,
  ids: true,
  skipsBlanks: true,
  checksItself: true,
  documents: true,
  singles: true,
  foreign: true,
  notInferrable: true,
  deprecation: true,
  original: true,
  reserved: true,
  judge: true,
  run: true,
} as const satisfies Record<Exclude<keyof ToolDefinition, "name">, true>;

class LateDefinition {
  readonly name: string;
  readonly #make: () => ToolDefinition;
  #made: ToolDefinition | undefined;

  constructor(name: string, make: () => ToolDefinition) {
    this.name = name;
    this.#make = make;
  }

  static {
    for (const member of Object.keys(MEMBERS) as (keyof typeof MEMBERS)[]) {
      Object.defineProperty(this.prototype, member, {
        get(this: LateDefinition) {
          this.#made ??= this.#make();
          return this.#made[member];
        },
      });
    }
  }
}

/** A definition with a known name. `make` is called when another member is read. */
export function lateDefinition(name: string, make: () => ToolDefinition): ToolDefinition {
  // It has all members of the interface.
  return new LateDefinition(name, make) as unknown as ToolDefinition;
}
