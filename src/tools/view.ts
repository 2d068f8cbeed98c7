// What a listing is asked to show.
import { actFor, type Principal } from "../identity";
import { type Format, formatOf } from "./formats";
import type { ToolFilter } from "./schema";

/** For whom and in which formats tools are shown. */
export interface View {
  userId: string | undefined;
  formats: readonly Format[];
}

// Made before any tool is looked at: a list without tools refuses what a list with some does.
export function viewOf(principal: Principal, { user_id, include_format = [] }: ToolFilter): View {
  // A key may ask for nobody in particular; a user token always asks for its own user.
  const nobody = user_id === undefined && principal.kind !== "user";
  const userId = nobody ? undefined : actFor(principal, user_id);
  return { userId, formats: include_format.map(formatOf) };
}
