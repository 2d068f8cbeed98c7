// The title and version of the API description.

/** The version of the HTTP interface. It changes with the published contract, not with the product's releases. */
export const INTERFACE_VERSION = "0.1.0";

export const INFO = {
  title: "Agent Runtime Control and Execution API",
  version: INTERFACE_VERSION,
  description:
    "Tools and their requirements, the consent of users for exactly these, and tool calls on behalf of users.",
};
