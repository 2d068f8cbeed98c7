// Errors as Bun's client throws them.

/** An error of the server, by its SQLSTATE. */
export class ServerError extends Error {
  readonly code = "ERR_POSTGRES_SERVER_ERROR";
  readonly errno: string;
  readonly severity: "ERROR" | "FATAL";

  constructor(state: string, severity: "ERROR" | "FATAL") {
    super(`SQLSTATE ${state}`);
    this.errno = state;
    this.severity = severity;
  }
}

export function serverError(state: string): ServerError {
  return new ServerError(state, "ERROR");
}

/** The server has ended the session. */
export function terminated(): ServerError {
  return new ServerError("57P01", "FATAL");
}

/** The connection broke. */
export class ConnectionClosed extends Error {
  readonly code = "ERR_POSTGRES_CONNECTION_CLOSED";

  constructor() {
    super("Connection closed");
  }
}
