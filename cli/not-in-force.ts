// Notes about webhooks that decide about no call, after a command that shows or changes them.
import type { Plugin } from "../src/hooks";
import type { Io } from "./io";
import { printable } from "./printable";

export function noteNotInForce(io: Io, { name, not_in_force = [] }: Plugin): void {
  for (const { hook_point, message } of not_in_force)
    io.note(`Not in force: ${hook_point} of ${printable(name)}. ${message}`);
}
