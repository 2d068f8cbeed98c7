// Whether this system can keep a program in a cage.
import { callsOf, type Calls } from "./architecture";
import { landlockVersion } from "./landlock";
import { hasFilters } from "./seccomp";

export interface CageSupport {
  supported: boolean;
  /** Why not, in words for an operator. */
  reason?: string;
  /** 0: none. */
  landlockAbi: number;
}

/** What the kernel says. Tests give other answers. */
export interface KernelFacts {
  platform: string;
  architecture: string;
  landlock(calls: Calls): { version: number; error: number };
  filters(calls: Calls): boolean;
}

/** The first version that keeps signals inside of the cage: Linux 6.12. */
const NEEDED_ABI = 6;
const EOPNOTSUPP = 95;

const realFacts: KernelFacts = {
  platform: process.platform,
  architecture: process.arch,
  landlock: landlockVersion,
  filters: hasFilters,
};

export function cageSupport(facts: KernelFacts = realFacts): CageSupport {
  if (facts.platform !== "linux") return unsupported("The cage for programs needs Linux.");
  const calls = callsOf(facts.architecture);
  if (calls === undefined)
    return unsupported(
      `The cage for programs does not know the processor architecture ${facts.architecture}.`,
    );
  const { version, error } = facts.landlock(calls);
  if (version < NEEDED_ABI) return unsupported(landlockReason(version, error), version);
  if (!facts.filters(calls))
    return unsupported(
      "The cage for programs needs seccomp filters, which this kernel does not have.",
      version,
    );
  return { supported: true, landlockAbi: version };
}

function unsupported(reason: string, landlockAbi = 0): CageSupport {
  return { supported: false, reason, landlockAbi };
}

function landlockReason(version: number, error: number): string {
  const needs = `The cage for programs needs Landlock ABI ${NEEDED_ABI} (Linux 6.12 or later)`;
  if (version > 0) return `${needs}; this kernel has ABI ${version}.`;
  if (error === EOPNOTSUPP)
    return `${needs}; this kernel has Landlock, but it is turned off (see lsm= of the kernel's command line).`;
  return `${needs}; this kernel does not offer it, or the container forbids it.`;
}
