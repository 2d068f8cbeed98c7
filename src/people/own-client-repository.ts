// SQL of what people have allowed clients. Every statement has project and user.
import { get, query, type Store, type Transaction } from "../store";

export interface ListedClientGrant {
  id: string;
  client_id: string;
  client_name: string | null;
  /** Id of a gateway; empty: the API of the project. */
  resource: string;
  /** Separated by spaces. */
  scopes: string;
  created_at: number;
  used_at: number | null;
  gateway_name: string | null;
  gateway_slug: string | null;
}

const COLUMNS = "id, client_id, client_name, resource, scopes, created_at, used_at";
const GATEWAY =
  "FROM gateways WHERE gateways.project_id = client_grants.project_id AND gateways.id = resource";
const LISTED =
  `SELECT ${COLUMNS}, (SELECT name ${GATEWAY}) AS gateway_name, (SELECT slug ${GATEWAY}) AS gateway_slug ` +
  "FROM client_grants WHERE project_id = ? AND user_id = ?";
const LIST = query<ListedClientGrant>(`${LISTED} ORDER BY created_at DESC, id DESC LIMIT ?`);
const FIND = query<ListedClientGrant>(`${LISTED} AND id = ?`);

export function grantsOf(
  store: Store,
  projectId: string,
  userId: string,
  limit: number,
): Promise<ListedClientGrant[]> {
  return store.all(LIST, projectId, userId, limit);
}

export function findGrant(
  store: Store,
  projectId: string,
  userId: string,
  id: string,
): Promise<ListedClientGrant | undefined> {
  return store.get(FIND, projectId, userId, id);
}

export function grantInTransaction(
  projectId: string,
  userId: string,
  id: string,
): Transaction<ListedClientGrant | undefined> {
  return get(FIND, projectId, userId, id);
}
