import { getUser, type User } from "./api/users";
import { request } from "./api/http";

declare const React: { createElement(type: string, props: object | null, ...children: unknown[]): unknown };

type Props = { ids: number[] };

export function UserList({ ids }: Props) {
  // It's here that each row asks for its own user.
  const users: Promise<User>[] = ids.map((id) => getUser(id));
  return <ul title="it's a list">{users.length}</ul>;
}

export class Session {
  async start(): Promise<void> {
    await request("/session");
    await request("/region");
  }
}
