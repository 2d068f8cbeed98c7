// A refusal in the platform's form: a status, a code, and a text that may change.

/** Thrown by request handlers; the server converts it to the answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  /** Authorization failures have their text in `description`, others in `message`. */
  readonly textIn: "message" | "description";

  constructor(status: number, code: number, text: string, textIn: "message" | "description" = "message") {
    super(text);
    this.status = status;
    this.code = code;
    this.textIn = textIn;
  }
}

/** The address does not have the form of any route. */
export const badAddress = (): Refusal => new Refusal(404, 1000, "The address is not valid.");
/** A parameter is missing, repeated, or invalid. */
export const badParameter = (name: string): Refusal =>
  new Refusal(401, 1000, `The parameter ${name} is missing, given twice or not valid.`);
export const badBody = (): Refusal => new Refusal(400, 3020, "The body is missing or incomplete.");
export const noMatch = (): Refusal => new Refusal(404, 3100, "No record matches.");
