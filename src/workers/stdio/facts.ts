// What operators are told about a program: who shares its memory, and what keeps it from the rest of the machine.
import type { CageSupport } from "../../processes";
import type { StdioConfig } from "./schema";

/** Sentences for people. `support`: of the kernel that it runs on, if that is known. */
export function programSentences(
  { shared, sandbox }: StdioConfig,
  id: string,
  support?: CageSupport,
): string[] {
  const sharing = shared
    ? "One process serves all users, who share its memory and its folder."
    : "Each user has a process and a folder of their own.";
  return [sharing, cageSentence(sandbox, id, support)];
}

function cageSentence(
  sandbox: StdioConfig["sandbox"],
  id: string,
  { supported, reason = "" }: Partial<CageSupport> = {},
): string {
  if (sandbox === "none") {
    const free = "It runs without a cage (sandbox: none): it can do what the user of this server can.";
    return supported === false ? `${free} ${reason}` : free;
  }
  if (supported === false)
    return `It cannot run. ${reason} To run it without a cage: runtime workers update ${id} --sandbox none`;
  return "It runs in a cage: it reads the system's folders, its own and what its record allows; the network is open.";
}
