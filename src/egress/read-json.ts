// The body of an answer as JSON with exact digits.
import { type Json, parseJson } from "../base";

/**
 * Reads JSON; integers outside the safe range become strings with their exact digits.
 * Throws `SyntaxError` when the body is something else; its message does not repeat the body, as a parser's would.
 */
export async function readJson(response: Response): Promise<Json> {
  const text = await response.text();
  try {
    return parseJson(text);
  } catch {
    throw new SyntaxError(`The answer (status ${response.status}, ${text.length} characters) is not JSON.`);
  }
}
