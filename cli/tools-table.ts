// The table of `runtime tools list`.
import type { ToolRecord } from "../src/tools";
import type { Column } from "./table";

/** What the table says of a tool. */
export type ToolLine = Pick<ToolRecord, "qualified_name" | "description">;

export const plainName = ({ qualified_name }: ToolLine): string => qualified_name;

export const descriptionColumn: Column<ToolLine> = {
  title: "description",
  value: ({ description }) => firstSentence(description),
};

function firstSentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text);
}
