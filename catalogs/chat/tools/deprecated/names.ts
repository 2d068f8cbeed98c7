// Errors of a replaced tool name the parameters of its replacement. Callers of the replaced tool know only its own.
import { ToolError } from "../../../../src/tools";

type Names = Readonly<Record<string, string>>;

/** Does the work. In the text of an error, each name of the replacement becomes the tool's own. */
export async function withNames<T>(names: Names | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The other classes are about the grant, not about parameters.
    if (names === undefined || !(error instanceof ToolError) || error.constructor !== ToolError) throw error;
    throw renamed(error, names);
  }
}

function renamed({ kind, canRetry, message, details }: ToolError, names: Names): ToolError {
  const own = (text: string): string =>
    text.replaceAll(/`(\w+)`/g, (whole, name: string) =>
      names[name] === undefined ? whole : `\`${names[name]}\``,
    );
  const { fields: _fields, advice: _advice, additionalPromptContent: hint, ...rest } = details;
  return new ToolError(kind, canRetry, own(message), {
    ...rest,
    ...(hint === undefined ? {} : { additionalPromptContent: own(hint) }),
  });
}
