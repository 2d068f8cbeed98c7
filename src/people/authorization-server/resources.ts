// What tokens are issued for (RFC 8707): gateways, and the API of a project.

export interface ProtectedResource {
  projectId: string;
  /** That of the gateway; `API_RESOURCE` for the API of the project. */
  id: string;
  /** For people. */
  name: string;
  /** As the client has named it, which becomes the audience of its tokens. */
  address: string;
  scope: string;
  /** Ids of clients that need no consent of their users. */
  trustedClients: readonly string[];
  /** Groups whose members may use it; undefined: everybody who can sign in. */
  allowedGroups: readonly string[] | undefined;
}

/** The resources of this installation. People sign in to each of them here. */
export interface Resources {
  /** Whether people sign in to a project of this installation. */
  isServed(): Promise<boolean>;
  /** Undefined for an address that is none, that of a gateway with other credentials, or of a project that is not signed in to. */
  at(address: string): Promise<ProtectedResource | undefined>;
  /** The gateway that is meant if a client names none: the only one. */
  only(): Promise<ProtectedResource | undefined>;
  /** With the address of a project's API; undefined if people do not sign in to it. */
  api(projectId: string): Promise<ProtectedResource | undefined>;
}

/** Whether a person may use a resource. Undefined: yes; else a sentence for the person. */
export type Admission = (resource: ProtectedResource, userId: string) => Promise<string | undefined>;
