import { Session, UserList } from "./UserList";

async function boot() {
  UserList({ ids: [1, 2, 3] });
  await new Session().start();
}

const done = boot();
export default done;
