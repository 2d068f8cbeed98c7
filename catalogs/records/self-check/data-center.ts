// The data center of the account, by what the token answer told.
import {
  judged,
  kindOf,
  observed,
  type PlatformCheck,
  type Verdict,
  withoutExample,
  wordOf,
} from "../../../src/tools";
import { DATA_CENTERS } from "../data-centers";
import { applications, codeSeen, type RecordsProbe } from "./probe";

const APPLICATIONS = "GetApplicationMetaInfo";

export const DATA_CENTER: readonly PlatformCheck<RecordsProbe>[] = [
  {
    name: "api-domain",
    expects: "the token answer names an address of a known data center; in which form is not settled",
    tool: APPLICATIONS,
    run: async (probe) => apiDomain(probe.context.grant?.facts["api_domain"]),
  },
  {
    name: "address-of-the-united-kingdom",
    expects: "Not settled: the API of the United Kingdom is at zohoapis.uk",
    tool: APPLICATIONS,
    async run(probe) {
      const isThere = centerOf(originOf(probe.context.grant?.facts["api_domain"]))?.location === "uk";
      if (!isThere) return withoutExample();
      return judged((await applications(probe)).ok, codeSeen(await applications(probe)));
    },
  },
];

/** Whether the address in a token answer belongs to a data center, and in which form. */
function apiDomain(fact: unknown): Verdict {
  const origin = originOf(fact);
  if (origin === undefined) return withoutExample({ api_domain: kindOf(undefined) });
  const center = centerOf(origin);
  const form = center === undefined ? "unknown" : center.api === origin ? "api" : "alias";
  const location = wordOf(
    center?.location,
    DATA_CENTERS.map((one) => one.location),
  );
  const seen = { data_center: location, form: wordOf(form, ["api", "alias", "unknown"]) };
  if (center === undefined) return judged(false, seen);
  return form === "api" ? judged(true, seen) : observed(seen);
}

function originOf(fact: unknown): string | undefined {
  return typeof fact === "string" ? URL.parse(fact)?.origin : undefined;
}

function centerOf(origin: string | undefined) {
  return DATA_CENTERS.find(({ api, aliases }) => api === origin || aliases.some((alias) => alias === origin));
}
