import { Users } from './users';

export default function Page() {
  return <Users />;
}
