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
    "Creates a link to a page on which the user picks the spreadsheets that this application may use. Use it if a " +
    "spreadsheet is not found or not allowed although the user has it, then call the failed tool again. Excel files cannot be " +
    "picked; they must be saved as native spreadsheets first.",
  input: Type.Object({}),
  output: Type.Object({
    url: Type.String({ description: "The link to give to the user" }),
    llm_instructions: Type.String({ description: "What to do with the link" }),
  }),
  // The page needs the application's client but no grant.
  authorization: { provider: googlePreset.id, scopes: [] },
  metadata: READS,
  async run(_input, context) {
    const clientId = context.provider?.clientId ?? "";
    const projectNumber = projectNumberOf(clientId);
    if (projectNumber === undefined)
      throw fatal(
        `The client id of the auth provider does not have the form ${CLIENT_ID_FORM}. An administrator must correct it.`,
      );
    const url = `${context.publicUrl}${PICKER_PATH}?config=${configOf(clientId, projectNumber)}`;
    return {
      url,
      llm_instructions:
        `Give the user this link and ask them to open it, sign in and pick the spreadsheets: ${url} ` +
        "Afterwards, call the failed tool again with the same input.",
    };
  },
});
