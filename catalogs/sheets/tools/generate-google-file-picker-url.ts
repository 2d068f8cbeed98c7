// Sheets.GenerateGoogleFilePickerUrl: a link to our page on which the user picks files for this application.
import { Type } from "typebox";
import { defineTool, fatal } from "../../../src/tools";
import { READS } from "../metadata";
import { CLIENT_ID_FORM } from "../platform";
import { googlePreset } from "../../presets/google";

export const generateGoogleFilePickerUrl = defineTool({
  name: "GenerateGoogleFilePickerUrl",
  description:
    "Makes a link on which the user can pick spreadsheets and so allow this application to use them. Use it when a " +
    "spreadsheet is not found or not allowed although the user has it, then call the tool that failed again.",
  input: Type.Object({}),
  output: Type.Object({
    url: Type.String({ description: "The link to give to the user" }),
    llm_instructions: Type.String({ description: "What to do with it" }),
  }),
  // The page needs the application's client, nobody's grant.
  authorization: { provider: googlePreset.id, scopes: [] },
  metadata: READS,
  async run(_input, context) {
    const clientId = context.provider?.clientId ?? "";
    const config = { auth: { client_id: clientId, app_id: projectNumberOf(clientId) } };
    const encoded = Buffer.from(JSON.stringify(config), "utf8").toString("base64url");
    const url = `${context.publicUrl}/google/drive_picker?config=${encoded}`;
    return {
      url,
      llm_instructions:
        `Give the user this link and ask to open it, sign in and pick the spreadsheets: ${url} ` +
        "When the user has picked them, call the tool that failed again with the same input.",
    };
  },
});

/** The number of the project that owns the client: access to files belongs to the project. */
function projectNumberOf(clientId: string): string {
  const number = /^(\d+)-/.exec(clientId)?.[1];
  if (number !== undefined) return number;
  throw fatal(
    `The client id of the auth provider is not of the form ${CLIENT_ID_FORM}: an administrator must set the right one.`,
  );
}
