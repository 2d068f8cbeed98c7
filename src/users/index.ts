// What is stored about users, over all areas.
export type { ErasedUser, UserExport, UsersPage } from "./schema";
export { Users } from "./service";
