// Sheets.GenerateGoogleFilePickerUrl: a link to our page on which the user picks files for this application.
import { Type } from "typebox";
import { defineTool, fatal } from "../../../src/tools";
import { READS } from "../metadata";
import { configOf, projectNumberOf } from "../picker/link";
import { CLIENT_ID_FORM, PICKER_PATH } from "../platform";
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
    const projectNumber = projectNumberOf(clientId);
    if (projectNumber === undefined)
      throw fatal(
        `The client id of the auth provider is not of the form ${CLIENT_ID_FORM}: an administrator must set the right one.`,
      );
    const url = `${context.publicUrl}${PICKER_PATH}?config=${configOf(clientId, projectNumber)}`;
    return {
      url,
      llm_instructions:
        `Give the user this link and ask to open it, sign in and pick the spreadsheets: ${url} ` +
        "When the user has picked them, call the tool that failed again with the same input.",
    };
  },
});
