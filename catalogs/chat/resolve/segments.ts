// The segments of a listing: each type of conversations by itself, because the platform pages mixed types badly, in each
// workspace of an organization. A listing that is returned in parts names the segment in its cursor.
import { badInput } from "../../../src/tools";
import type { ChatClient } from "../client";
import type { Params } from "../upstream/methods";
import { teamsToList } from "./teams";

/** The parameters of each segment, in order. */
export async function segmentsOf(client: ChatClient, sources: readonly Params[]): Promise<Params[]> {
  const teams = await teamsToList(client);
  return sources.flatMap((params) => teams.map((team_id) => ({ ...params, team_id })));
}

/** A position in the segments: before the first page of a segment without a cursor. */
export interface Position {
  segment: number;
  cursor: string | undefined;
}

const CURSOR = /^(\d{1,3})~(.*)$/s;

/** With one segment, cursors are the platform's own. Throws bad input for a cursor of another listing. */
export function positionOf(cursor: string | undefined, segments: number): Position {
  if (cursor === undefined || segments === 1) return { segment: 0, cursor };
  const [, number, rest = ""] = CURSOR.exec(cursor) ?? [];
  const segment = Number(number);
  if (number === undefined || segment >= segments) {
    throw badInput("`next_cursor` is not of this listing. Call again without it, or with the same filters.");
  }
  return { segment, cursor: rest === "" ? undefined : rest };
}

/** Undefined at the end of the last segment. */
export function cursorAt({ segment, cursor }: Position, segments: number): string | undefined {
  if (segment >= segments) return undefined;
  return segments === 1 ? cursor : `${segment}~${cursor ?? ""}`;
}

/** The position after a page with this cursor, which may be the last one of its segment. */
export function positionAfter({ segment }: Position, next: string | undefined): Position {
  return next === undefined ? { segment: segment + 1, cursor: undefined } : { segment, cursor: next };
}
