// Verdicts that several checks share, and where their examples are.
import { judged, type Verdict, withoutExample } from "../../../src/tools";
import { CODES, matchesNothing } from "../upstream/codes";
import { type Asked, codeSeen, type Example, example, type RecordsProbe } from "./probe";

export async function withPlace(
  probe: RecordsProbe,
  check: (place: Example) => Promise<Verdict>,
): Promise<Verdict> {
  const place = await example(probe);
  return place === undefined ? withoutExample() : check(place);
}

export function withReport(
  probe: RecordsProbe,
  check: (place: Example) => Promise<Verdict>,
): Promise<Verdict> {
  return withPlace(probe, async (place) => (place.report === undefined ? withoutExample() : check(place)));
}

/** A refusal whose code has one of these meanings in the table. */
export function refusedAs(asked: Asked, ...meanings: string[]): Verdict {
  const meaning = asked.code === undefined ? undefined : CODES[asked.code]?.meaning;
  const fits = !asked.ok && meaning !== undefined && meanings.includes(meaning);
  return judged(fits, codeSeen(asked));
}

export function refusedWith(asked: Asked, code: number): Verdict {
  return judged(asked.code === code, codeSeen(asked));
}

export function noMatch(asked: Asked): Verdict {
  return judged(matchesNothing(asked.code), codeSeen(asked));
}
