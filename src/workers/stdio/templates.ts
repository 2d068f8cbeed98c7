// Placeholders of programs: `${home}` besides those of all workers.
import type { Redacted } from "../../base";
import { type FillValues, filledTexts, referredTo, userKeysIn } from "../user-values";

/** What a text refers to besides the folder of the process. */
export function namesIn(text: string): { secrets: string[]; namesUser: boolean } {
  return {
    secrets: referredTo(text),
    namesUser: userKeysIn(text).length > 0 || text.includes("${user_id}"),
  };
}

function withHome(text: string, home: string): string {
  return text.replaceAll("${home}", home);
}

/** An argument with its values. */
export function filledArgument(
  text: string,
  home: string,
  secrets: FillValues["secrets"],
): string | Redacted {
  return filledTexts({ text: withHome(text, home) }, { secrets })["text"] ?? "";
}

/** The environment with its values. Variables that name a user are left out without one. */
export function filledEnvironment(
  environment: Readonly<Record<string, string>>,
  home: string,
  values: FillValues,
): Record<string, string | Redacted> {
  const texts = Object.entries(environment).map(([name, text]) => [name, withHome(text, home)]);
  return filledTexts(Object.fromEntries(texts), values);
}
